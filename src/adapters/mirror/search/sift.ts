/**
 * A search together with the judgement of every message that it finds.
 *
 * INVARIANT: a message matches by what can be read of it at its own level, and by nothing else: a term about any other field
 * neither holds nor fails, so that the message is not even counted. Only folders that are wholly
 * indexed are searched. The counts and the rows are of one moment.
 */

import { Failure } from '../../../core/failure.ts'
import { ANY_UIDVALIDITY } from '../../../core/message-id.ts'
import type { FolderDefinition } from '../../../core/policy/folder.ts'
import { atLeast, higher, LEVELS, type Level } from '../../../core/policy/level.ts'
import { matchReadableFrom } from '../../../core/policy/predicates.ts'
import type { Query } from '../../../core/query/query.ts'
import { asReadAt, asReadBetween, criteriaReadableFrom } from '../../../core/query/readable.ts'
import type { Sift, Sifted } from '../../../ports/mirror-store.ts'
import type { MirrorDatabase } from '../file/database.ts'
import { type FolderRow, folderAt, folderRows, mustBeWhole } from '../folders.ts'
import type { Condition } from '../sql/condition.ts'
import { condition } from '../sql/condition.ts'
import { criteriaConditions, spanOf } from '../sql/criteria-sql.ts'
import { matchConditions } from '../sql/predicates-sql.ts'
import { conditionOf, isAll, planOf, simplified } from '../sql/query-sql.ts'
import { isWords } from '../sql/words-sql.ts'
import { ranksIn } from './rank-counts.ts'
import { type Judge, sameForAll, type Verdicts } from './verdicts.ts'
import { count, firstStops, MET, type Meeting, type Stop, type Walk } from './walk.ts'

/** Of an answer that is remembered. */
const MOST_KEPT_ROWS = 200

export function sift(
  db: MirrorDatabase,
  verdicts: Verdicts,
  mailboxes: readonly string[],
  asked: Sift,
): Promise<Sifted> {
  const groups = (): readonly RuledFolders[] => groupsOf(indexedFolders(db, mailboxes, asked.uidvalidity), asked.rules)
  return prepared(db, verdicts, groups, (its) => siftNow(db, verdicts, its, asked))
}

/** Most often nobody has written since the last time: then there is nothing to prepare, and a single read does. */
async function prepared<T>(
  db: MirrorDatabase,
  verdicts: Verdicts,
  groupsNow: () => readonly RuledFolders[],
  work: (groups: readonly RuledFolders[]) => T,
): Promise<T> {
  const atOnce = judging(db, verdicts, () => {
    const groups = groupsNow()
    const isReady = groups.every(({ rules, folders }) => rules === undefined || verdicts.isReady(rules, folders))
    return isReady ? { found: work(groups) } : undefined
  })
  if (atOnce !== undefined) return atOnce.found
  for (const { rules, folders } of db.read(groupsNow)) if (rules !== undefined) await verdicts.prepare(rules, folders)
  return judging(db, verdicts, () => work(groupsNow()))
}

function judging<T>(db: MirrorDatabase, verdicts: Verdicts, work: () => T): T {
  try {
    const found = db.read(work)
    verdicts.trim()
    return found
  } catch (error) {
    // Whoever is told that a folder cannot answer has worked out nothing yet.
    if (!(error instanceof Failure)) verdicts.forget()
    throw error
  }
}

export function countLevels(
  db: MirrorDatabase,
  verdicts: Verdicts,
  mailbox: string,
  rules: FolderDefinition,
  now: number,
): Promise<ReadonlyMap<Level, number>> {
  const groups = (): readonly RuledFolders[] => [{ rules, folders: indexedFolders(db, [mailbox]) }]
  return prepared(db, verdicts, groups, (its) => {
    const [folder] = its.flatMap(({ folders }) => folders)
    if (folder === undefined) return new Map()
    const judge = verdicts.judge(rules, [folder], now)
    const [only] = judge.levels
    if (judge.table === undefined && only !== undefined) return new Map(folder.kept === 0 ? [] : [[only, folder.kept]])
    return new Map([...ranksIn(db, judge, folder)].map(([rank, many]) => [levelOf(rank), many]))
  })
}

function siftNow(db: MirrorDatabase, verdicts: Verdicts, ruled: readonly RuledFolders[], asked: Sift): Sifted {
  const groups = ruled.map(({ rules, folders }) => ({
    judge: rules === undefined ? sameForAll('FULL') : verdicts.judge(rules, folders, asked.nowSeconds),
    folders,
  }))
  const question = questionOf(groups, asked)
  return question === undefined ? found(db, groups, asked) : db.once(question, () => found(db, groups, asked))
}

/** Undefined where the next one will be another. Rules are told by who judges, and so is the moment, unless it is asked for. */
function questionOf(groups: readonly Group[], { rules: _rules, nowSeconds: _now, ...asked }: Sift): string | undefined {
  const { skip, match, take } = asked
  const isAged = match.newer_than !== undefined || match.older_than !== undefined
  if (skip !== undefined || isAged || take > MOST_KEPT_ROWS) return undefined
  const judges = groups.map(({ judge, folders }) => [judge.name, folders.map(({ id }) => id)])
  return JSON.stringify([judges, asked], (_key, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )
}

function found(db: MirrorDatabase, groups: readonly Group[], asked: Sift): Sifted {
  const all = folderRows(db)
  const folders = groups.flatMap((group) => group.folders)
  const walks = merged(groups).flatMap(({ judge, folders: its }) => walksOf(asked, judge, its, all))
  const names = new Map(folders.map(({ id, mailbox }) => [id, mailbox]))
  const { stops, ...told } = answer(db, walks, folders, asked)
  const rows = stops.map(({ folder, uid, received, rank }) => ({
    mailbox: names.get(folder) ?? '',
    uid,
    received,
    level: levelOf(rank),
  }))
  return { ...told, rows }
}

interface Group {
  readonly judge: Judge
  readonly folders: readonly FolderRow[]
}

/** Folders in which all have the same level are one. */
function merged(groups: readonly Group[]): readonly Group[] {
  const byLevel = new Map<string, Group>()
  const judged = groups.filter(({ judge }) => judge.table !== undefined)
  for (const { judge, folders } of groups.filter((group) => group.judge.table === undefined)) {
    const [level = 'NONE'] = judge.levels
    const known = byLevel.get(level)
    byLevel.set(level, { judge, folders: [...(known?.folders ?? []), ...folders] })
  }
  return [...byLevel.values(), ...judged]
}

/**
 * One through whatever matches at any level; what that means at its own level is then asked of each that differs. Levels at
 * which everything matches have one of their own where the folders know its count, so that the other is short.
 */
function walksOf(asked: Sift, judge: Judge, folders: readonly FolderRow[], all: readonly FolderRow[]): readonly Walk[] {
  const conditions = conditionsOf(asked, folders)
  const span = spanOf(asked.criteria)
  const spanned = span.from !== undefined || span.before !== undefined
  const readableFrom = higher(criteriaReadableFrom(asked.criteria), matchReadableFrom(asked.match))
  const levels = judge.levels.filter((level) => atLeast(level, readableFrom))
  const meanings = new Map(levels.map((level) => [level, simplified(asReadAt(asked.query, level))]))
  const apart = conditions.length === 0 && !spanned ? [...meanings].filter(([, { kind }]) => kind === 'all') : []
  const others = [...meanings].filter(([level]) => !apart.some(([its]) => its === level))
  return [apart, others].flatMap((its) => {
    const wide = widest(asked.query, new Map(its))
    const plan = wide && planOf(spanned ? { kind: 'and', of: [wide, span] } : wide)
    const meets = wide && meetingsOf(new Map(its), wide)
    if (plan === undefined || meets === undefined || meets.size === 0) return []
    return [{ plan, ...placesOf(folders, all), judge, meets, conditions }]
  })
}

/** Whatever matches at any of these levels. */
function widest(query: Query, meanings: ReadonlyMap<Level, Query>): Query | undefined {
  const [first, ...others] = meanings.values()
  if (others.every((other) => JSON.stringify(other) === JSON.stringify(first))) return first
  const ranks = [...meanings.keys()].map((level) => LEVELS.indexOf(level))
  return simplified(asReadBetween(query, levelOf(Math.min(...ranks)), levelOf(Math.max(...ranks))))
}

function meetingsOf(meanings: ReadonlyMap<Level, Query>, wide: Query): ReadonlyMap<Level, Meeting> {
  const widest = JSON.stringify(wide)
  const possible = [...meanings].filter(([, query]) => query.kind !== 'none')
  return new Map(
    possible.map(([level, query]) => {
      if (JSON.stringify(query) === widest) return [level, MET]
      return [level, { condition: (key) => conditionOf(query, key), looks: !isWords(query) }]
    }),
  )
}

/** By whichever is less: these folders, or all the others that hold anything. */
function placesOf(folders: readonly FolderRow[], all: readonly FolderRow[]): Pick<Walk, 'folders' | 'others'> {
  const ids = folders.map(({ id }) => id)
  const others = all.filter(({ id, kept }) => kept > 0 && !ids.includes(id))
  if (others.length === 0) return { folders: undefined }
  const most = held(others) < held(folders)
  return { folders: ids, ...(most && { others: others.map(({ id }) => id) }) }
}

function held(folders: readonly FolderRow[]): number {
  return folders.reduce((sum, { kept }) => sum + kept, 0)
}

function conditionsOf({ criteria, match, nowSeconds, belowUid }: Sift, folders: readonly FolderRow[]): Condition[] {
  const below = belowUid !== undefined && folders.some(({ uidnext }) => belowUid < uidnext)
  return [
    ...criteriaConditions(criteria),
    ...matchConditions(match, nowSeconds),
    ...(below ? [condition('m.uid < ?', belowUid)] : []),
  ]
}

/** What the count tells of a first page that is to be empty, or such a page of the count where it holds all, is not asked. */
function answer(db: MirrorDatabase, walks: readonly Walk[], folders: readonly FolderRow[], asked: Sift): Counts & Page {
  const { after, skip, offset = 0, take, needed } = asked
  const isFirst = after === undefined && skip === undefined && offset === 0
  if (isFirst && take === 0) {
    const counted = sums(db, walks, folders, needed)
    return { ...counted, stops: [], more: counted.visible > 0 }
  }
  const found = page(db, walks, asked)
  const many = found.stops.length
  const sees = walks.every(({ meets }) => [...meets.keys()].every((level) => atLeast(level, needed)))
  if (isFirst && sees && !found.more) return { ...found, matched: many, visible: many }
  return { ...found, ...sums(db, walks, folders, needed) }
}

interface Counts {
  readonly matched: number
  readonly visible: number
}

function sums(db: MirrorDatabase, walks: readonly Walk[], folders: readonly FolderRow[], needed: Level): Counts {
  const all = walks.map((walk) => counts(db, walk, folders, needed))
  return {
    matched: all.reduce((sum, { matched }) => sum + matched, 0),
    visible: all.reduce((sum, { visible }) => sum + visible, 0),
  }
}

/** What the folders themselves know is not counted. */
function counts(db: MirrorDatabase, walk: Walk, folders: readonly FolderRow[], needed: Level): Counts {
  const { plan, judge, conditions, meets } = walk
  const all = isAll(plan) && conditions.length === 0
  const its = folders.filter(({ id }) => walk.folders?.includes(id) ?? true)
  if (!all || [...meets.values()].some((meeting) => meeting !== MET)) return count(db, walk, its, needed)
  let [matched, visible] = [0, 0]
  for (const [rank, many] of its.flatMap((folder) => [...levelsIn(db, judge, folder)])) {
    if (!meets.has(levelOf(rank))) continue
    matched += many
    if (rank >= LEVELS.indexOf(needed)) visible += many
  }
  return { matched, visible }
}

function levelsIn(db: MirrorDatabase, judge: Judge, folder: FolderRow): ReadonlyMap<number, number> {
  const [only = 'NONE'] = judge.levels
  return judge.table === undefined ? new Map([[LEVELS.indexOf(only), folder.kept]]) : ranksIn(db, judge, folder)
}

interface Page {
  readonly stops: readonly Stop[]
  readonly more: boolean
}

function page(db: MirrorDatabase, walks: readonly Walk[], { after, skip, offset = 0, take, needed }: Sift): Page {
  const most = offset + take + (skip?.size ?? 0) + 1
  const isMixed = walks.length > 1
  const found = walks.flatMap((walk) => {
    const meets = new Map([...walk.meets].filter(([level]) => LEVELS.indexOf(level) >= LEVELS.indexOf(needed)))
    return meets.size === 0 ? [] : firstStops(db, { ...walk, meets }, after, most, isMixed)
  })
  const wanted = (isMixed ? found.sort(byPlace) : found).filter(({ uid }) => skip?.has(uid) !== true)
  return { stops: wanted.slice(offset, offset + take), more: wanted.length > offset + take }
}

function byPlace(a: Stop, b: Stop): number {
  return a.place < b.place ? -1 : 1
}

interface RuledFolders {
  readonly rules: FolderDefinition | undefined
  readonly folders: readonly FolderRow[]
}

function groupsOf(folders: readonly FolderRow[], rules: Sift['rules']): readonly RuledFolders[] {
  const groups = Map.groupBy(folders, ({ mailbox }) => rules.get(mailbox))
  return [...groups].map(([its, ruled]) => ({ rules: its, folders: ruled }))
}

function indexedFolders(
  db: MirrorDatabase,
  mailboxes: readonly string[],
  uidvalidity = ANY_UIDVALIDITY,
): readonly FolderRow[] {
  const folders = [...new Set(mailboxes)].map((mailbox) => folderAt(db, { mailbox, uidvalidity }))
  for (const folder of folders) mustBeWhole(folder, true)
  return folders
}

function levelOf(rank: number): Level {
  return LEVELS[rank] ?? 'NONE'
}
