/**
 * A folder searched at its server.
 *
 * INVARIANT: rules and criteria see complete facts. What the server can answer exactly is left to it; all else is judged
 * here, by the predicates that rules use and by the meaning that queries have everywhere.
 */
import type { Criteria } from '../../core/criteria.ts'
import type { Coverage } from '../../core/mirror/state.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { compileMatch, type Match, matchReadableFrom, namesIn, needsOf } from '../../core/policy/predicates.ts'
import { asReadBetween, isReadAlike } from '../../core/query/readable.ts'
import { toSearchKey } from '../../core/query/widen.ts'
import type { Found } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { MOST_MESSAGES } from '../sight/fact-keeper.ts'
import { readBodyText } from '../sync/read-texts.ts'
import type { SearchDesk } from './desk.ts'
import type { FolderAnswer, FolderQuestion } from './search-folder.ts'
import { sieve } from './sieve.ts'

/** What the server's own search decides exactly as we would. */
const EXACT = new Set(['size_gt', 'size_lt', 'flagged'])

const ASKED_SERVER: Coverage = { source: 'live', complete: true, notes: [] }

export async function searchLive(account: Account, question: FolderQuestion, desk: SearchDesk): Promise<FolderAnswer> {
  const { mailbox, query, match, offset, take } = question
  const { sight, signal } = desk
  const everything = query.kind === 'all'
  const { floor, ceiling } = await sight.folder(account, mailbox, signal)
  // A server knows nothing of levels: it must not leave out for what only some may read.
  const readable = asReadBetween(query, floor, ceiling)
  const { key, exact } = toSearchKey(readable)
  const criteria = narrowed(match, sight.nowSeconds)
  const every = { take: MOST_MESSAGES, most: MOST_MESSAGES, atServer: true }
  const found = await account.source.find(
    mailbox,
    { criteria, ...(!everything && { key, query: readable }), ...every },
    signal,
  )
  const at = { mailbox, uidvalidity: found.uidvalidity }
  const { matching, levels } = await sift(account, question, found, desk)
  // What servers count exactly is the answer only where everybody who sees a message reads the query alike.
  const answered = everything || (exact && atLeast(floor, 'METADATA') && isReadAlike(query, floor, ceiling))
  const sifted = answered
    ? { uids: matching, coverage: ASKED_SERVER }
    : await sieve({
        source: account.source,
        at,
        uids: matching,
        levels,
        query,
        bodyOf: (uid) => readBodyText(account, { ...at, uid }, desk),
        signal,
      })
  const visible = sifted.uids.filter((uid) => sees(levels.get(uid), 'METADATA'))
  const page = visible.slice(offset, offset + take)
  return {
    uidvalidity: found.uidvalidity,
    matched: sifted.uids.length,
    visible: visible.length,
    rows: page.map((uid) => ({ uid, level: levels.get(uid) ?? 'NONE' })),
    more: offset + page.length < visible.length,
    coverage: sifted.coverage,
  }
}

interface Sifted {
  readonly matching: readonly number[]
  readonly levels: ReadonlyMap<number, Level>
}

/** Those that match, and the level of each. */
async function sift(
  account: Account,
  { mailbox, match }: FolderQuestion,
  { uids, uidvalidity }: Found,
  { sight, signal }: SearchDesk,
): Promise<Sifted> {
  const at = { mailbox, uidvalidity }
  const folder = await sight.folder(account, mailbox, signal)
  // Which messages are flagged has been the server's to say.
  const { flagged: _said, ...rest } = match
  const exact = namesIn(match).every((name) => EXACT.has(name))
  // Asked for together, so that a folder is not fetched once for its rules and once for the search.
  const sources = needsOf([rest]).union(folder.needs)
  const test = compileMatch(rest, 'any')
  const now = sight.nowSeconds
  const matching = new Set<number>()
  if (!exact) {
    await sight.facts.each(account, at, uids, { sources, flags: false }, signal, (uid, facts) => {
      if (holds(() => test(facts, now))) matching.add(uid)
    })
  }
  const levels = await sight.levels(account, folder, at, uids, signal)
  const readableFrom = matchReadableFrom(match)
  const askable = uids.filter((uid) => sees(levels.get(uid), readableFrom))
  return { matching: exact ? askable : askable.filter((uid) => matching.has(uid)), levels }
}

/** What cannot be known of a message is not found in it. */
function holds(test: () => boolean): boolean {
  try {
    return test()
  } catch {
    return false
  }
}

function sees(level: Level | undefined, needed: Level): boolean {
  return level !== undefined && atLeast(level, needed)
}

/** Days are wider than ages: what they let through is judged again. */
function narrowed(match: Match, nowSeconds: number): Criteria {
  const day = (age: number): string => new Date(Math.max(0, nowSeconds - age) * 1000).toISOString().slice(0, 10)
  return {
    ...(match.size_gt !== undefined && { larger: match.size_gt }),
    ...(match.size_lt !== undefined && { smaller: match.size_lt }),
    ...(match.flagged !== undefined && { flagged: match.flagged }),
    ...(match.newer_than !== undefined && { since: day(match.newer_than) }),
    ...(match.older_than !== undefined && { until: day(match.older_than) }),
  }
}
