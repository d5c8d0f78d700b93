/**
 * Sets a torn tail aside: the bytes move to `<day>.torn`, the day file ends with its last whole record again.
 *
 * INVARIANT: the bytes are on disk in the `.torn` file before they leave the day file. A crash in between leaves them in both.
 */
import { constants } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tailTorn } from '../../core/audit/events.ts'
import { type DayFile, tornPath } from './day-files.ts'
import { writeAll } from './disk.ts'
import { readRange, type Tail } from './tail.ts'
import { isoNow, type Premises, syncDirectory } from './write-records.ts'

const { O_CREAT, O_RDWR } = constants

export async function setAsideTornTail(
  premises: Premises,
  file: DayFile,
  fd: number,
  { end, torn }: Tail,
): Promise<void> {
  if (torn === 0) return
  const { disk, log, owed } = premises
  const bytes = await readRange(file.path, end, end + torn)
  await appendTo(premises, tornPath(premises.directory, file.day), bytes)
  await disk.truncate(fd, end)
  await disk.datasync(fd)
  log.warn({ file: file.name, bytes: torn }, 'the audit log ended in an incomplete record; it was set aside')
  owed.push(tailTorn(isoNow(premises), torn))
}

async function appendTo(premises: Premises, path: string, bytes: Uint8Array): Promise<void> {
  const { disk } = premises
  const fd = await disk.open(path, O_RDWR | O_CREAT, 0o600)
  try {
    await writeAll(disk, fd, bytes, (await stat(path)).size)
    await disk.datasync(fd)
    await syncDirectory(premises)
  } finally {
    await disk.close(fd)
  }
}
