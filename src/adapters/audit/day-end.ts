/**
 * Ends days and begins their successors.
 *
 * INVARIANT: a day's file is closed (`eof_day`, flushed, mode 0400) before the next one gets its first record. Each step may
 * be the last before a crash: whoever comes next finds it done or does it.
 */
import { chmod, stat } from 'node:fs/promises'
import { GENESIS, type Place, placeAfter } from '../../core/audit/chain.ts'
import { dayBefore } from '../../core/audit/day.ts'
import { endOfDay, fileMissing } from '../../core/audit/events.ts'
import { type DayFile, listDayFiles } from './day-files.ts'
import { readTail, type Tail } from './tail.ts'
import { setAsideTornTail } from './torn-tail.ts'
import { type DayEnd, isoNow, openForRecords, type Premises, type Spot, writeRecords } from './write-records.ts'

const CLOSED_MODE = 0o400

export interface Start {
  readonly place: Place
  /** The day before has no file though there is history: said in the first record, for it may have been taken away. */
  readonly missing: string | undefined
}

/** Where the first record of `day` goes, after closing the file before it. */
export async function startOf(premises: Premises, day: string): Promise<Start> {
  const before = (await listDayFiles(premises.directory)).findLast((file) => file.day < day)
  if (before === undefined) return { place: GENESIS, missing: undefined }
  const yesterday = dayBefore(day)
  return { place: await closeDay(premises, before), missing: before.day === yesterday ? undefined : yesterday }
}

/** Closes a day's file unless it is closed. Returns where the next day's first record goes. */
export async function closeDay(premises: Premises, file: DayFile): Promise<Place> {
  if (file.compressed) return afterCompressed(premises, file)
  const tail = await readTail(file)
  const { place, end } = closedEnd(file, tail) ?? (await appendEndOfDay(premises, file, tail))
  if (((await stat(file.path)).mode & 0o777) !== CLOSED_MODE) await chmod(file.path, CLOSED_MODE)
  await premises.dayEnded(end)
  return place
}

interface Closed {
  readonly place: Place
  readonly end: DayEnd
}

function closedEnd({ day }: DayFile, { closed, place, count, root }: Tail): Closed | undefined {
  if (!closed || place === undefined || root === undefined) return undefined
  return { place, end: { day, size: count, root, finalHash: undefined } }
}

async function appendEndOfDay(premises: Premises, file: DayFile, tail: Tail): Promise<Closed> {
  const { disk } = premises
  const fd = await openForRecords(disk, file.path)
  try {
    await setAsideTornTail(premises, file, fd, tail)
    const start = tail.place ?? (await startOf(premises, file.day)).place
    const { spot } = await writeRecords(premises, { fd, size: tail.end, place: start }, [])
    return await writeEof(premises, spot, file.day)
  } finally {
    await disk.close(fd)
  }
}

async function writeEof(premises: Premises, spot: Spot, day: string): Promise<Closed> {
  const finalHash = spot.place.prev_hash
  const eof = endOfDay(isoNow(premises), finalHash)
  const { seq: size, prev_hash: root } = (await writeRecords(premises, spot, [eof])).spot.place
  return { place: placeAfter({ ...eof, ...spot.place }, root), end: { day, size, root, finalHash } }
}

/** A compressed file cannot be mended. When its end cannot be read, recording goes on and verification names it. */
async function afterCompressed(premises: Premises, file: DayFile): Promise<Place> {
  try {
    const { place } = await readTail(file)
    return place ?? GENESIS
  } catch (err) {
    premises.log.error({ err, file: file.name }, 'the end of an old audit file cannot be read')
    premises.owed.push(fileMissing(isoNow(premises), file.day))
    return GENESIS
  }
}
