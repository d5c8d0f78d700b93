/**
 * Lets files grow old: compresses them, and deletes them in the end.
 *
 * INVARIANT: one process at a time (a lock of its own, so that recording never waits for a compression), and so many
 * files at a time. Each step may be the last before a crash: the next run finds it done or does it again. A deletion is
 * on record before the file goes, and a file's checkpoints go before it does, so that none ever misses its file.
 */
import { rm } from 'node:fs/promises'
import { dayOf } from '../../core/audit/day.ts'
import { retentionDelete } from '../../core/audit/events.ts'
import type { AuditEntry } from '../../core/audit/record.ts'
import { type KeptFile, planRetention, type Retention } from '../../core/audit/retention.ts'
import { compressDay } from './compress.ts'
import { checkpointPath, type DayFile, listDayFiles, tornPath } from './day-files.ts'
import type { DirectoryLock } from './lock.ts'
import { readTail } from './tail.ts'
import { isoNow, type Premises, syncDirectory } from './write-records.ts'

/** The next run goes on where this one stops. */
const MOST_FILES = 31

export interface RetentionParts {
  readonly premises: Premises
  readonly retention: Retention
  /** Not the one under which records are written. */
  readonly lock: DirectoryLock
  /** Runs `work` where nobody else writes. */
  exclusively(work: () => Promise<void>): Promise<void>
  /** For use in there. */
  append(entry: AuditEntry): Promise<unknown>
}

export async function retain(parts: RetentionParts, signal: AbortSignal): Promise<void> {
  if (!(await parts.lock.tryAcquire())) return
  try {
    const { clock, directory } = parts.premises
    const files: (DayFile & KeptFile)[] = []
    // One by one: whoever records meanwhile needs the disk more.
    for (const file of await listDayFiles(directory)) files.push(await withEnd(file))
    const { compress, remove } = planRetention(files, dayOf(clock.now()), parts.retention)
    for (const file of remove.slice(0, MOST_FILES)) {
      if (!signal.aborted) await parts.exclusively(() => removeDay(parts, file.day))
    }
    for (const file of compress.slice(0, MOST_FILES)) {
      if (!signal.aborted) await packDay(parts, file, signal)
    }
  } finally {
    parts.lock.release()
  }
}

/** A compressed file was closed before it became one. */
async function withEnd(file: DayFile): Promise<DayFile & KeptFile> {
  return { ...file, closed: file.compressed || (await readTail(file)).closed }
}

async function packDay({ premises, exclusively }: RetentionParts, file: DayFile, signal: AbortSignal): Promise<void> {
  await compressDay(file, signal)
  await syncDirectory(premises)
  // A writer that begins a day reads the file before it.
  await exclusively(() => rm(file.path))
}

async function removeDay({ premises, append }: RetentionParts, day: string): Promise<void> {
  const { directory } = premises
  await append(retentionDelete(isoNow(premises), day))
  await rm(checkpointPath(directory, day), { force: true })
  await rm(tornPath(directory, day), { force: true })
  await syncDirectory(premises)
  for (const { day: other, path } of await listDayFiles(directory)) {
    if (other !== day) continue
    await rm(path)
    await rm(`${path}.gz`, { force: true })
  }
  await syncDirectory(premises)
}
