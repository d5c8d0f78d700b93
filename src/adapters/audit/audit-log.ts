/**
 * The audit log in files: puts together who writes, who signs, and who looks after old files.
 *
 * INVARIANT: nothing but writing records can make an append fail.
 */
import { chmod, mkdir, stat } from 'node:fs/promises'
import type { AuditEntry } from '../../core/audit/record.ts'
import type { Retention } from '../../core/audit/retention.ts'
import type { CheckedAuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { CheckpointFiles } from './checkpoint-files.ts'
import { holdsOnlyOurs } from './day-files.ts'
import { DayWriter } from './day-writer.ts'
import { type Disk, systemDisk } from './disk.ts'
import { GroupCommit } from './group-commit.ts'
import { createDirectoryLock, type DirectoryLock } from './lock.ts'
import { retain } from './retain.ts'
import { type Environment, runRootHook } from './root-hook.ts'
import { Upkeep } from './upkeep.ts'
import { checkWritable } from './writable.ts'
import type { DayEnd, Premises } from './write-records.ts'

export interface AuditLogParts {
  readonly directory: string
  readonly clock: Clock
  readonly log: Log
  /** Where the key lies that signs checkpoints. Without it none are made. */
  readonly keyDirectory?: string | undefined
  /** Without it no file is ever compressed or deleted. */
  readonly retention?: Retention | undefined
  /** A program to run at the end of each day. */
  readonly hook?: string | undefined
  /** Of these, the program gets PATH, HOME and LANG. */
  readonly environment?: Environment
  /** For tests. */
  readonly disk?: Disk
  readonly checkpointEvery?: CheckpointPace
}

export interface CheckpointPace {
  readonly records: number
  readonly ms: number
}

export interface AuditFiles extends CheckedAuditLog {
  /** Closes the newest file if its day is over. Happens by itself, too: after midnight, or with the next record. */
  endDay(): Promise<void>
}

const USUAL_PACE: CheckpointPace = { records: 256, ms: 60_000 }

export function createAuditLog(parts: AuditLogParts): AuditFiles {
  return new AuditDirectory(parts)
}

class AuditDirectory implements AuditFiles {
  readonly #parts: AuditLogParts
  readonly #pace: CheckpointPace
  readonly #premises: Premises
  readonly #writer: DayWriter
  readonly #checkpoints: CheckpointFiles | undefined
  readonly #lock: DirectoryLock
  readonly #retentionLock: DirectoryLock
  readonly #commit: GroupCommit
  readonly #upkeep: Upkeep
  /** How far this process has seen the day's file signed, or where it began to write it. */
  #signed: { readonly day: string; readonly size: number } | undefined

  constructor(parts: AuditLogParts) {
    const { directory, clock, log, disk = systemDisk, keyDirectory, checkpointEvery = USUAL_PACE } = parts
    this.#parts = parts
    this.#pace = checkpointEvery
    this.#premises = { directory, clock, log, disk, owed: [], dayEnded: (end) => this.#dayEnded(end) }
    this.#writer = new DayWriter(this.#premises)
    this.#checkpoints = keyDirectory === undefined ? undefined : new CheckpointFiles(this.#premises, keyDirectory)
    this.#lock = createDirectoryLock(directory, clock)
    this.#retentionLock = createDirectoryLock(directory, clock, '.retention.db')
    this.#commit = new GroupCommit({
      lock: this.#lock,
      prepare: () => prepareDirectory(directory, log),
      write: (entries) => this.#writer.append(entries),
      acknowledged: () => this.#acknowledged(),
    })
    this.#upkeep = new Upkeep({
      clock,
      log,
      checkpointAfterMs: this.#pace.ms,
      checkpoint: () => this.#commit.exclusively(() => this.#sign(false)),
      endDay: () => this.endDay(),
      tidy: (signal) => this.#tidy(signal),
    })
  }

  append(entry: AuditEntry): Promise<{ readonly seq: number }> {
    return this.#commit.append(entry)
  }

  checkWritable(): Promise<void> {
    return this.#commit.exclusively(() => checkWritable(this.#premises))
  }

  endDay(): Promise<void> {
    return this.#commit.exclusively(() => this.#writer.endDay())
  }

  async close(): Promise<void> {
    await this.#upkeep.stop()
    await this.#commit
      .close(() => (this.#unsigned() ? () => this.#sign(true) : undefined))
      .catch((err: unknown) => {
        this.#parts.log.warn({ err }, 'the audit log could not be signed when it was closed')
      })
    await this.#checkpoints?.close()
    await this.#writer.close()
    this.#lock.close()
    this.#retentionLock.close()
  }

  #acknowledged(): Promise<void> | undefined {
    const { head } = this.#writer
    if (head === undefined) return undefined
    this.#upkeep.recorded(head.day)
    if (this.#checkpoints === undefined) return undefined
    // What stood there before this process came is signed with the rest, soon enough.
    if (this.#signed?.day !== head.day) this.#signed = { day: head.day, size: head.size - 1 }
    return head.size - this.#signed.size >= this.#pace.records ? this.#sign(false) : undefined
  }

  /** Whether this process wrote what it has not signed. */
  #unsigned(): boolean {
    const { head } = this.#writer
    return this.#checkpoints !== undefined && head !== undefined && this.#signed?.size !== head.size
  }

  async #sign(last: boolean): Promise<void> {
    const { head } = this.#writer
    if (head === undefined || this.#checkpoints === undefined) return
    this.#signed = head
    await this.#checkpoints.sign(head, last)
  }

  async #dayEnded(end: DayEnd): Promise<void> {
    const { hook, environment = {}, log } = this.#parts
    await this.#checkpoints?.end(end)
    if (hook === undefined || end.finalHash === undefined) return
    runRootHook({ program: hook, finalHash: end.finalHash, day: end.day, environment }, log)
  }

  async #tidy(signal: AbortSignal): Promise<void> {
    await this.#checkpoints?.prepare()
    const { retention } = this.#parts
    if (retention === undefined) return
    const parts = {
      premises: this.#premises,
      retention,
      lock: this.#retentionLock,
      exclusively: (work: () => Promise<void>) => this.#commit.exclusively(work),
      append: async (entry: AuditEntry) => {
        await this.#writer.append([entry])
        await this.#acknowledged()
      },
    }
    await retain(parts, signal)
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
