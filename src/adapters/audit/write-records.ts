/**
 * Writes records at a place of the chain: one write, one flush.
 *
 * INVARIANT: on return they are on disk; on failure (a full disk, say) the file is back at its last whole line, as far as
 * the disk still obeys. Where it does not, what is left is a torn tail, and the next writer sets it aside.
 */
import { constants } from 'node:fs'
import { chain, type Place } from '../../core/audit/chain.ts'
import type { AuditEntry } from '../../core/audit/record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { type Disk, writeAll } from './disk.ts'
import { sha256 } from './tail.ts'

/** What everything that touches the directory works with; all of it under the directory's lock. */
export interface Premises {
  readonly directory: string
  readonly clock: Clock
  readonly log: Log
  readonly disk: Disk
  /** The log's own events that are not recorded yet. They go ahead of the next record, whichever that is. */
  readonly owed: AuditEntry[]
  /** A day's file is closed. Never fails. */
  dayEnded(end: DayEnd): Promise<void>
}

export interface DayEnd {
  readonly day: string
  /** Records in the file, and the hash of the last one, which is `eof_day`. */
  readonly size: number
  readonly root: string
  /** What `eof_day` says; only where it was written just now. */
  readonly finalHash: string | undefined
}

/** The end of an open file, and what comes there. */
export interface Spot {
  readonly fd: number
  readonly size: number
  readonly place: Place
}

export interface Written {
  readonly spot: Spot
  /** The number of each entry in its file. */
  readonly numbers: readonly number[]
}

export async function writeRecords(premises: Premises, spot: Spot, entries: readonly AuditEntry[]): Promise<Written> {
  const { disk, owed } = premises
  const events = owed.length
  const numbers: number[] = []
  let place = spot.place
  let text = ''
  for (const entry of events === 0 ? entries : [...owed, ...entries]) {
    const { line, next } = chain(entry, place, sha256)
    numbers.push(place.seq)
    text += line
    place = next
  }
  const bytes = Buffer.from(text)
  if (bytes.length > 0) await writeOrTakeBack(disk, spot, bytes)
  owed.splice(0, events)
  return { spot: { fd: spot.fd, size: spot.size + bytes.length, place }, numbers: numbers.slice(events) }
}

async function writeOrTakeBack(disk: Disk, { fd, size }: Spot, bytes: Uint8Array): Promise<void> {
  try {
    await writeAll(disk, fd, bytes, size)
    if (disk.flushingFlag === 0) await disk.datasync(fd)
  } catch (error) {
    // After a failed flush nobody knows what the disk holds: these records were not acknowledged, so they go.
    await disk.truncate(fd, size).catch(() => undefined)
    throw error
  }
}

/** For files that `writeRecords` writes. */
export function openForRecords(disk: Disk, path: string): Promise<number> {
  return disk.open(path, constants.O_RDWR | constants.O_CREAT | disk.flushingFlag, 0o600)
}

/** A new name in a directory survives a crash only when the directory is flushed too. */
export async function syncDirectory({ disk, directory }: Premises): Promise<void> {
  const fd = await disk.open(directory, constants.O_RDONLY, 0)
  try {
    await disk.sync(fd)
  } finally {
    await disk.close(fd)
  }
}

export function isoNow({ clock }: Premises): string {
  return new Date(clock.now()).toISOString()
}
