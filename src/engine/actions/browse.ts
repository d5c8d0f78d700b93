/**
 * A page of a folder, newest first, and an account of what the caller does not see of it.
 *
 * INVARIANT: rules and criteria see complete facts. Criteria that the server can answer exactly are left to it; all others
 * are judged here, by the same predicates that rules use. `total` counts what matches, `visible` what may be shown of it.
 */
import type { ActionOf } from '../../core/action.ts'
import type { Criteria } from '../../core/criteria.ts'
import { attachmentsOf } from '../../core/mime/bodies.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { compileMatch, type Match, namesIn, needsOf, predicateNamed } from '../../core/policy/predicates.ts'
import type { BrowsedMessage, GoogleIdentity } from '../../core/results.ts'
import type { Found, MailboxAt } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { MOST_MESSAGES } from '../sight/fact-keeper.ts'
import { dateOf, peopleIn, subjectOf } from './message-header.ts'
import type { Perform, Workshop } from './workshop.ts'

const ROW_FIELDS = ['Date', 'From', 'To', 'Subject']
/** What the server's own search decides exactly as we would. */
const EXACT = new Set(['size_gt', 'size_lt', 'flagged'])

export const browse: Perform<'browse'> = async (action, workshop) => {
  const { accounts, sight, signal } = workshop
  const account = accounts.get(action.account)
  const criteria = narrowed(action.match, sight.nowSeconds)
  const found = await account.source.find(
    action.mailbox,
    { criteria, take: MOST_MESSAGES, most: MOST_MESSAGES },
    signal,
  )
  const at = { mailbox: action.mailbox, uidvalidity: found.uidvalidity }
  const { matching, levels } = await sift(account, action, found, workshop)
  const visible = matching.filter((uid) => sees(levels.get(uid), 'METADATA'))
  const page = visible.slice(action.offset, action.offset + action.limit)
  return {
    uidvalidity: found.uidvalidity,
    total: sight.conceals ? undefined : matching.length,
    visible: visible.length,
    more: action.offset + page.length < visible.length,
    messages: await shown(account, at, page, levels, action.show, workshop),
    identities: await identitiesOf(account, at, page, workshop),
  }
}

/** Where hidden mail is concealed, a uid of All Mail would tell how much of it there is. */
async function identitiesOf(
  { google }: Account,
  at: MailboxAt,
  uids: readonly number[],
  { sight, signal }: Workshop,
): Promise<readonly GoogleIdentity[] | undefined> {
  if (google === undefined || uids.length === 0) return google && []
  const identities = await google.identities(at, uids, signal)
  return sight.conceals ? identities.map((identity) => ({ ...identity, allMailUid: undefined })) : identities
}

interface Sifted {
  readonly matching: readonly number[]
  readonly levels: ReadonlyMap<number, Level>
}

/** Those that match, and the level of each. */
async function sift(
  account: Account,
  { mailbox, match }: ActionOf<'browse'>,
  { uids, uidvalidity }: Found,
  { sight, signal }: Workshop,
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
  // Where hidden mail is concealed, a question about a field finds only messages whose field could be read.
  const readable = sight.conceals ? namesIn(match).map((name) => predicateNamed(name).readableFrom) : []
  const askable = uids.filter((uid) => levels.has(uid) && readable.every((level) => sees(levels.get(uid), level)))
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

async function shown(
  account: Account,
  at: MailboxAt,
  uids: readonly number[],
  levels: ReadonlyMap<number, Level>,
  show: ActionOf<'browse'>['show'],
  { signal }: Workshop,
): Promise<readonly BrowsedMessage[]> {
  if (show === 'uids') return uids.map((uid) => ({ ...NOTHING, uid, level: levels.get(uid) ?? 'NONE' }))
  if (uids.length === 0) return []
  const structure = uids.some((uid) => levels.get(uid) === 'FULL')
  const rows = await account.source.traits(at, uids, { fields: ROW_FIELDS, structure }, signal)
  return rows.map((row) => ({
    level: levels.get(row.uid) ?? 'NONE',
    uid: row.uid,
    size: row.size,
    flags: row.flags,
    date: dateOf(row.header, row.received),
    from: peopleIn(row.header, 'from'),
    to: peopleIn(row.header, 'to'),
    subject: subjectOf(row.header),
    hasAttachment: row.structure && attachmentsOf(row.structure).length > 0,
  }))
}

const NOTHING = {
  size: undefined,
  flags: undefined,
  date: undefined,
  from: undefined,
  to: undefined,
  subject: undefined,
  hasAttachment: undefined,
}
