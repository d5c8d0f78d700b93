/**
 * Whether a record could be written, told without one. Runs under the directory's lock only.
 *
 * INVARIANT: the day's file is not touched. What is written lies beside it for a moment, at the place in its file where the next
 * record would be, so that a full disk, a quota and a limit on the size of files all show.
 */
import { constants } from 'node:fs'
import { access, stat, unlink } from 'node:fs/promises'
import { dayOf } from '../../core/audit/day.ts'
import { dayFile, probePath } from './day-files.ts'
import { writeAll } from './disk.ts'
import { codeOf } from './failures.ts'
import type { Premises } from './write-records.ts'

/** More than one record takes, and one block of most disks. */
const PROBE_BYTES = 4096

export async function checkWritable({ directory, disk, clock }: Premises): Promise<void> {
  const size = await writableSize(dayFile(directory, dayOf(clock.now())).path)
  const path = probePath(directory)
  const fd = await disk.open(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | disk.flushingFlag, 0o600)
  try {
    await writeAll(disk, fd, new Uint8Array(PROBE_BYTES), size)
    if (disk.flushingFlag === 0) await disk.datasync(fd)
  } finally {
    await disk.close(fd)
    await unlink(path).catch(() => undefined)
  }
}

/** 0 where there is no such file yet. */
async function writableSize(path: string): Promise<number> {
  try {
    await access(path, constants.W_OK)
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
