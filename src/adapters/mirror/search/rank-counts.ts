/**
 * How many messages of a folder have each level.
 *
 * INVARIANT: as many as asking each message for its rank would count. Of most it is known beforehand.
 */
import { LEVELS, type Level } from '../../../core/policy/level.ts'
import type { MirrorDatabase } from '../file/database.ts'
import type { FolderRow } from '../folders.ts'
import type { Condition } from '../sql/condition.ts'
import type { Judge } from './verdicts.ts'

/** By its rank. */
export function ranksIn(db: MirrorDatabase, judge: Judge, folder: FolderRow): ReadonlyMap<number, number> {
  const question = `ranks of ${folder.id} by ${judge.name}`
  const counts = db.tally({ question, asksFlags: judge.asksFlags, folders: [folder] }, (after) =>
    after === undefined ? allRanks(db, judge, folder) : lateRanks(db, judge, folder, after),
  )
  return new Map([...counts.entries()].filter(([, many]) => many !== 0))
}

/** Of those that were indexed after that one. */
function lateRanks(db: MirrorDatabase, judge: Judge, { id }: FolderRow, after: number): readonly number[] {
  // The plus keeps SQLite from walking through the whole folder.
  const late = `message m cross join temp.${judge.table} j on j.key = m.key where +m.folder = ? and m.entered > ?`
  const sums = rankSums(db, judge.levels, judge.rank('joined'), late, id, after)
  return LEVELS.map((level) => sums[level] ?? 0)
}

/** An index counts what messages have that are not flagged; those are looked at whose age decides, or that are flagged. */
function allRanks(db: MirrorDatabase, judge: Judge, { id: folder }: FolderRow): readonly number[] {
  const { table, levels, rank, asksFlags } = judge
  const settled = db.all<{ unflagged: number | null; many: number }>(
    `select unflagged, count(*) as many from temp.${table} where folder = ? group by unflagged`,
    folder,
  )
  const aged = rankSums(db, levels, rank('no'), `temp.${table} j where j.folder = ? and j.unflagged is null`, folder)
  const flagged = `message m cross join temp.${table} j on j.key = m.key where m.folder = ? and m.bits & 2 <> 0`
  const more = asksFlags ? rankSums(db, levels, rank('yes'), flagged, folder) : NO_SUMS
  const less = asksFlags ? rankSums(db, levels, rank('no'), flagged, folder) : NO_SUMS
  return LEVELS.map((level, its) => {
    const many = settled.find(({ unflagged }) => unflagged === its)?.many ?? 0
    return many + (aged[level] ?? 0) + (more[level] ?? 0) - (less[level] ?? 0)
  })
}

type RankSums = Readonly<Partial<Record<Level, number | null>>>
const NO_SUMS: RankSums = {}

/** Sums, since a group would sort all of them; the limit keeps SQLite from asking once for each sum. */
function rankSums(
  db: MirrorDatabase,
  levels: readonly Level[],
  { sql, values }: Condition,
  from: string,
  ...where: readonly number[]
): RankSums {
  const sums = levels.map((level) => `sum(its = ${LEVELS.indexOf(level)}) as ${level}`)
  return (
    db.get<RankSums>(`select ${sums} from (select ${sql} as its from ${from} limit -1)`, ...values, ...where) ?? NO_SUMS
  )
}
