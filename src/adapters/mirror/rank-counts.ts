/**
 * How many messages of a folder have each level.
 *
 * INVARIANT: as many as asking each message for its rank would count. Of most it is known beforehand.
 */
import { LEVELS, type Level } from '../../core/policy/level.ts'
import type { Condition } from './condition.ts'
import type { MirrorDatabase } from './database.ts'
import type { FolderRow } from './folders.ts'
import type { Judge } from './verdicts.ts'

/** By its rank. */
export function ranksIn(db: MirrorDatabase, judge: Judge, folder: FolderRow): ReadonlyMap<number, number> {
  return db.once(`ranks of ${folder.id} by ${judge.name}`, () => countedRanks(db, judge, folder))
}

function countedRanks(db: MirrorDatabase, judge: Judge, { id, kept }: FolderRow): ReadonlyMap<number, number> {
  const counted = rankCounts(db, judge, id)
  if (counted.all === kept) return counted.byRank
  // Of messages that are gone nothing may be left in the table.
  db.run(
    `delete from temp.${judge.table} where folder = ? and key not in (select key from message where folder = ?)`,
    id,
    id,
  )
  return rankCounts(db, judge, id).byRank
}

interface RankCounts {
  /** Also of those that have none. */
  readonly all: number
  readonly byRank: ReadonlyMap<number, number>
}

/** An index counts what messages have that are not flagged; those are looked at whose age decides, or that are flagged. */
function rankCounts(db: MirrorDatabase, judge: Judge, folder: number): RankCounts {
  const { table, levels, rank, asksFlags } = judge
  const settled = db.all<{ unflagged: number | null; many: number }>(
    `select unflagged, count(*) as many from temp.${table} where folder = ? group by unflagged`,
    folder,
  )
  const aged = rankSums(db, levels, rank('no'), `temp.${table} j where j.folder = ? and j.unflagged is null`, folder)
  const flagged = `message m cross join temp.${table} j on j.key = m.key where m.folder = ? and m.bits & 2 <> 0`
  const more = asksFlags ? rankSums(db, levels, rank('yes'), flagged, folder) : NO_SUMS
  const less = asksFlags ? rankSums(db, levels, rank('no'), flagged, folder) : NO_SUMS
  const byRank = levels.map((level) => {
    const its = LEVELS.indexOf(level)
    const many = settled.find(({ unflagged }) => unflagged === its)?.many ?? 0
    return [its, many + (aged[level] ?? 0) + (more[level] ?? 0) - (less[level] ?? 0)] as const
  })
  return {
    all: settled.reduce((sum, { many }) => sum + many, 0),
    byRank: new Map(byRank.filter(([, many]) => many !== 0)),
  }
}

type RankSums = Readonly<Partial<Record<Level, number | null>>>
const NO_SUMS: RankSums = {}

/** Sums, since a group would sort all of them; the limit keeps SQLite from asking once for each sum. */
function rankSums(
  db: MirrorDatabase,
  levels: readonly Level[],
  { sql, values }: Condition,
  from: string,
  folder: number,
): RankSums {
  const sums = levels.map((level) => `sum(its = ${LEVELS.indexOf(level)}) as ${level}`)
  return (
    db.get<RankSums>(`select ${sums} from (select ${sql} as its from ${from} limit -1)`, ...values, folder) ?? NO_SUMS
  )
}
