/**
 * The moment at which time last changed what rules ask of any message.
 *
 * INVARIANT: not later than now, and every message of the file is newer, or older, than each of the ages at that moment just
 * where it is now. So what was counted then is still true, though a second passes between any two questions.
 */
import type { MirrorDatabase } from '../file/database.ts'
import { isToldByKeys, secondSql } from '../sql/key-sql.ts'

/** By the time they were received: the newest that is not newer than each of these moments. */
const NEWEST = `select (select received from message where key >= ${secondSql('value')} order by key limit 1) as received
  from json_each(?) order by json_each.key`

export function settledMoment(db: Pick<MirrorDatabase, 'all'>, ages: readonly number[], now: number): number {
  const moments = ages.map((age) => now - age)
  if (!moments.every((moment) => isToldByKeys(moment + 1))) return now
  const newest = db.all<{ received: number | null }>(NEWEST, JSON.stringify(moments))
  return newest.reduce(
    // Keys tell nothing apart that came before 1970. It is older than its age only a second after it was not newer.
    (last, { received }, at) =>
      received === null ? last : Math.max(last, Math.min(now, Math.max(received, 0) + (ages[at] ?? 0) + 1)),
    Math.min(now, 0),
  )
}
