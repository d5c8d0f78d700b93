/**
 * Appends to the newest day's file, and begins a new one when the day has changed. Runs under the directory's lock only.
 *
 * INVARIANT: records go to the newest file there is, whatever the clock says: when it goes backwards, later records stay
 * there, or go to the day after it where it is closed already. A file that is gone, or shorter than this process left
 * it, does not heal: the chain goes on from what had been written, so that verification names the place.
 */
import { statSync } from 'node:fs'
import { dayAfter, dayOf } from '../../core/audit/day.ts'
import { fileMissing } from '../../core/audit/events.ts'
import type { AuditEntry } from '../../core/audit/record.ts'
import type { Head } from './checkpoint-files.ts'
import { closeDay, startOf } from './day-end.ts'
import { type DayFile, dayFile, listDayFiles } from './day-files.ts'
import { readTail, type Tail } from './tail.ts'
import { setAsideTornTail } from './torn-tail.ts'
import { isoNow, openForRecords, type Premises, type Spot, syncDirectory, writeRecords } from './write-records.ts'

interface OpenDay {
  readonly file: DayFile
  readonly inode: number
  readonly spot: Spot
  /** What a new file begins with. */
  readonly opening: readonly AuditEntry[]
}

export class DayWriter {
  readonly #premises: Premises
  #open: OpenDay | undefined
  /** The end of what this process last wrote; kept when the file is closed or lost. */
  #left: { readonly day: string; readonly spot: Spot } | undefined

  constructor(premises: Premises) {
    this.#premises = premises
  }

  /** How far this process has written. */
  get head(): Head | undefined {
    if (this.#left === undefined) return undefined
    const { seq, prev_hash } = this.#left.spot.place
    return { day: this.#left.day, size: seq, root: prev_hash }
  }

  /** Returns each entry's number in its file. */
  async append(entries: readonly AuditEntry[]): Promise<readonly number[]> {
    const open = await this.#current()
    try {
      const all = open.opening.length === 0 ? entries : [...open.opening, ...entries]
      const { spot, numbers } = await writeRecords(this.#premises, open.spot, all)
      this.#open = { ...open, spot, opening: [] }
      this.#left = { day: open.file.day, spot }
      return numbers.slice(open.opening.length)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Closes the newest file if its day is over. Without this, the next record does it. */
  async endDay(): Promise<void> {
    const newest = (await listDayFiles(this.#premises.directory)).at(-1)
    if (newest === undefined || newest.day >= dayOf(this.#premises.clock.now())) return
    await this.close()
    await closeDay(this.#premises, newest)
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined) await this.#premises.disk.close(open.spot.fd)
  }

  async #current(): Promise<OpenDay> {
    const today = dayOf(this.#premises.clock.now())
    if (this.#open !== undefined && this.#open.file.day >= today && isAsWeLeftIt(this.#open)) return this.#open
    await this.close()
    this.#open = await this.#openDay(await this.#dayToWrite(today))
    return this.#open
  }

  async #dayToWrite(today: string): Promise<string> {
    const newest = (await listDayFiles(this.#premises.directory)).at(-1)
    if (newest === undefined || newest.day < today) return today
    if (newest.day > today) {
      this.#premises.log.warn({ newest: newest.day, today }, 'the newest audit file is of a later day than the clock')
    }
    return newest.compressed || (await readTail(newest)).closed ? dayAfter(newest.day) : newest.day
  }

  async #openDay(day: string): Promise<OpenDay> {
    const premises = this.#premises
    const file = dayFile(premises.directory, day)
    const isNew = statSync(file.path, { throwIfNoEntry: false }) === undefined
    const fd = await openForRecords(premises.disk, file.path)
    try {
      if (isNew) await syncDirectory(premises)
      const tail = await readTail(file)
      await setAsideTornTail(premises, file, fd, tail)
      // The line we follow may be of a writer that died before its flush.
      if (tail.end > 0) await premises.disk.datasync(fd)
      const { place, opening } = await this.#beginning(day, tail)
      return { file, inode: statSync(file.path).ino, spot: { fd, size: tail.end, place }, opening }
    } catch (error) {
      await premises.disk.close(fd)
      throw error
    }
  }

  /** The place after `tail`, and what has to be said there first. */
  async #beginning(day: string, tail: Tail): Promise<{ place: Spot['place']; opening: readonly AuditEntry[] }> {
    const start =
      tail.place === undefined ? await startOf(this.#premises, day) : { place: tail.place, missing: undefined }
    const left = this.#left?.day === day && tail.end < this.#left.spot.size ? this.#left : undefined
    if (left !== undefined) this.#premises.log.error({ day }, 'the audit file is shorter than this process left it')
    const missing = left !== undefined && tail.end === 0 ? day : start.missing
    return {
      place: left === undefined ? start.place : { ...start.place, prev_hash: left.spot.place.prev_hash },
      opening: missing === undefined ? [] : [fileMissing(isoNow(this.#premises), missing)],
    }
  }
}

/** Nobody else has appended since, nor taken the file away. */
function isAsWeLeftIt({ file, inode, spot }: OpenDay): boolean {
  const now = statSync(file.path, { throwIfNoEntry: false })
  return now !== undefined && now.ino === inode && now.size === spot.size
}
