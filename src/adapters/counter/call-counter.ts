/**
 * Counts calls in windows that slide: a call is let through when fewer than `most` were in the time before it, so that no
 * stretch of a minute ever holds more, wherever it begins.
 *
 * A caller's calls are numbered. A window of `most` calls is full exactly when the call `most` numbers back is younger than
 * the window is long: one row to look at, and no more rows to keep than the largest window has room for.
 *
 * INVARIANT: looking and counting are one transaction that no other process can come between.
 */
import { join } from 'node:path'
import type { CallCounter, CallTally, CallWindow } from '../../ports/call-counter.ts'
import type { DatabaseFile, DatabaseFiles } from '../../ports/database-files.ts'
import { LIMITS_FILE } from './limits-file.ts'

/** A call noted so far ahead means that the clock was set back since: it tells nothing any more. */
const AHEAD_MS = 60_000

interface Noted {
  readonly number: number
  readonly at: number
}

type Take = (tallies: readonly CallTally[], now: number) => number

export interface CallCounterParts {
  readonly directory: string
  readonly databases: DatabaseFiles
}

export function createCallCounter({ directory, databases }: CallCounterParts): CallCounter {
  const file = databases.file(join(directory, 'limits.db'), LIMITS_FILE)
  let take: Take | undefined
  return {
    take: (tallies, now) =>
      file.patiently(() => {
        take ??= takeFrom(file)
        return take(tallies, now)
      }),
    close: async () => file.close(),
  }
}

function takeFrom(db: DatabaseFile): Take {
  const last = db.prepare<[string], Noted>('select number, at from call where caller = ? order by number desc limit 1')
  const noted = db.prepare<[string, number], Pick<Noted, 'at'>>('select at from call where caller = ? and number = ?')
  const note = db.prepare<[string, number, number]>('insert into call (caller, number, at) values (?, ?, ?)')
  const forget = db.prepare<[string, number]>('delete from call where caller = ? and number <= ?')

  const look = ({ name, windows }: CallTally, now: number): Look => {
    const previous = last.get(name)
    const number = (previous?.number ?? 0) + 1
    const at = momentAfter(previous, now)
    const waitFor = ({ most, lengthMs }: CallWindow): number => {
      if (most < 1) return lengthMs
      const then = noted.get(name, number - most)?.at
      return then !== undefined && then > at - lengthMs && then <= at ? then + lengthMs - at : 0
    }
    return { number, at, wait: Math.max(0, ...windows.map(waitFor)) }
  }
  const step: Take = (tallies, now) => {
    const looks = tallies.map((tally) => look(tally, now))
    const wait = Math.max(0, ...looks.map((one) => one.wait))
    if (wait > 0) return wait
    for (const [index, { number, at }] of looks.entries()) {
      const { name = '', windows = [] } = tallies[index] ?? {}
      note.run(name, number, at)
      forget.run(name, number - Math.max(0, ...windows.map(({ most }) => most)))
    }
    return 0
  }
  return (tallies, now) => db.write(() => step(tallies, now))
}

interface Look {
  readonly number: number
  readonly at: number
  /** Milliseconds until there is room. */
  readonly wait: number
}

/** Calls that overtook each other on their way here are noted in the order they came, so that times grow as numbers do. */
function momentAfter(previous: Noted | undefined, now: number): number {
  if (previous === undefined || previous.at > now + AHEAD_MS) return now
  return Math.max(now, previous.at)
}
