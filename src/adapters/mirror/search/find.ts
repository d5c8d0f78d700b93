/** Search in one mailbox, newest first, with the meaning of IMAP SEARCH. */
import type { Found, Search } from '../../../ports/mail-source.ts'
import type { MirrorDatabase } from '../file/database.ts'
import { folderNamed, mustBeWhole } from '../folders.ts'
import { condition } from '../sql/condition.ts'
import { criteriaConditions, looksAtWords, spanOf } from '../sql/criteria-sql.ts'
import { isAll, planOf } from '../sql/query-sql.ts'
import { sameForAll } from './verdicts.ts'
import { count, firstStops, MET, type Walk } from './walk.ts'

/** Beyond this many matches only their number is given, where a search does not say how many. */
const MOST_MATCHES = 20_000

export function find(db: MirrorDatabase, mailbox: string, search: Search): Found {
  const { criteria, after, belowUid, skip, take, most = MOST_MATCHES } = search
  const folder = folderNamed(db, mailbox)
  mustBeWhole(folder, looksAtWords(criteria))
  const [plan, judge] = [planOf(spanOf(criteria)), sameForAll('FULL')]
  if (plan === undefined) throw new Error('a span of days is no search')
  const conditions = [
    ...criteriaConditions(criteria),
    ...(belowUid !== undefined && belowUid < folder.uidnext ? [condition('m.uid < ?', belowUid)] : []),
  ]
  const walk: Walk = { plan, folders: [folder.id], judge, meets: new Map([['FULL', MET]]), conditions }
  const total = isAll(plan) && conditions.length === 0 ? folder.kept : count(db, walk, [folder], 'NONE').matched
  const found = { uidvalidity: folder.uidvalidity, uidNext: folder.uidnext, total }
  if (total > most) return { ...found, uids: [], more: true }
  // Only a skipped uid can push a wanted one off the page, so this many rows always hold a page and what follows it.
  const uids = firstStops(db, walk, after, take + (skip?.size ?? 0) + 1, false)
    .map(({ uid }) => uid)
    .filter((uid) => skip?.has(uid) !== true)
  return { ...found, uids: uids.slice(0, take), more: uids.length > take }
}
