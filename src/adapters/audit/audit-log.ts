/**
 * The audit log in files, with group commit.
 *
 * INVARIANT: one flush is under way at a time; whatever is appended meanwhile goes into the next one together, so that
 * sixteen records cost about as much as one. A record is acknowledged only after its flush. When the log cannot be
 * written, every append fails as `unavailable`, and what was to be recorded must not happen.
 */
import { chmod, mkdir, stat } from 'node:fs/promises'
import type { AuditEntry } from '../../core/audit/record.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { holdsOnlyOurs } from './day-files.ts'
import { DayWriter } from './day-writer.ts'
import { type Disk, systemDisk } from './disk.ts'
import { cannotWrite, isClosed } from './failures.ts'
import { createDirectoryLock, type DirectoryLock } from './lock.ts'

/** Keeps one write, and the time the lock is held for it, small. */
const LARGEST_BATCH = 1000

export interface AuditLogParts {
  readonly directory: string
  readonly clock: Clock
  readonly log: Log
  /** For tests. */
  readonly disk?: Disk
}

export interface AuditFiles extends AuditLog {
  /** Closes the newest file if its day is over. Without this, the first record of a later day does it. */
  endDay(): Promise<void>
}

interface Pending {
  readonly entry: AuditEntry
  readonly resolve: (value: { readonly seq: number }) => void
  readonly reject: (reason: unknown) => void
}

export function createAuditLog({ directory, clock, log, disk = systemDisk }: AuditLogParts): AuditFiles {
  return new GroupCommit({
    lock: createDirectoryLock(directory, clock),
    writer: new DayWriter({ directory, clock, log, disk, owed: [] }),
    prepare: () => prepareDirectory(directory, log),
  })
}

interface GroupCommitParts {
  readonly lock: DirectoryLock
  readonly writer: DayWriter
  prepare(): Promise<void>
}

class GroupCommit implements AuditFiles {
  readonly #parts: GroupCommitParts
  #pending: Pending[] = []
  #lastInLine: Promise<void> = Promise.resolve()
  #flushInLine = false
  #prepared = false
  #closed = false

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
  }

  append(entry: AuditEntry): Promise<{ readonly seq: number }> {
    if (this.#closed) return Promise.reject(isClosed())
    return new Promise((resolve, reject) => {
      this.#pending.push({ entry, resolve, reject })
      this.#lineUpFlush()
    })
  }

  endDay(): Promise<void> {
    if (this.#closed) return Promise.reject(isClosed())
    const ended = this.#lastInLine.then(() => this.#underLock(() => this.#parts.writer.endDay()))
    this.#lastInLine = ended.catch(() => undefined)
    return ended
  }

  async close(): Promise<void> {
    this.#closed = true
    while (this.#flushInLine) await this.#lastInLine
    await this.#lastInLine
    await this.#parts.writer.close()
    this.#parts.lock.close()
  }

  #lineUpFlush(): void {
    if (this.#flushInLine) return
    this.#flushInLine = true
    this.#lastInLine = this.#lastInLine.then(() => this.#flush())
  }

  async #flush(): Promise<void> {
    this.#flushInLine = false
    const batch = this.#pending.splice(0, LARGEST_BATCH)
    if (this.#pending.length > 0) this.#lineUpFlush()
    try {
      const numbers = await this.#underLock(() => this.#parts.writer.append(batch.map(({ entry }) => entry)))
      for (const [index, seq] of numbers.entries()) batch[index]?.resolve({ seq })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async #underLock<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (!this.#prepared) await this.#parts.prepare()
      this.#prepared = true
      await this.#parts.lock.acquire()
    } catch (error) {
      this.#prepared = false
      throw cannotWrite(error)
    }
    try {
      return await work()
    } catch (error) {
      throw cannotWrite(error)
    } finally {
      this.#parts.lock.release()
    }
  }
}

/** 0700. A directory that holds other people's files too is left as it is, with a warning. */
async function prepareDirectory(directory: string, log: Log): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { mode } = await stat(directory)
  if ((mode & 0o077) === 0) return
  if (await holdsOnlyOurs(directory)) await chmod(directory, 0o700)
  else log.warn({ directory }, 'the audit directory is open to other users')
}
