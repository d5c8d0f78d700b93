/**
 * A page of a folder, newest first, and an account of what the caller does not see of it.
 *
 * INVARIANT: `total` counts what matches, `visible` what may be shown of it.
 */
import type { ActionOf } from '../../core/action.ts'
import { attachmentsOf } from '../../core/mime/bodies.ts'
import { atLeast } from '../../core/policy/level.ts'
import { namesIn } from '../../core/policy/predicates.ts'
import type { BrowsedMessage, GoogleIdentity } from '../../core/results.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { readQuery, settleFor } from '../search/asked-query.ts'
import { type FolderAnswer, type Judged, searchFolder } from '../search/search-folder.ts'
import { dateOf, peopleIn, subjectOf } from './message-header.ts'
import type { Perform, Workshop } from './workshop.ts'

const ROW_FIELDS = ['Date', 'From', 'To', 'Cc', 'Subject']

export const browse: Perform<'browse'> = async (action, workshop) => {
  const { accounts, sight, signal } = workshop
  const { mailbox, match, limit, offset } = action
  const account = accounts.get(action.account)
  const query = await settleFor(account, mailbox, readQuery(action.query, sight.nowSeconds), signal)
  const found = await searchFolder(account, { mailbox, query, match, offset, take: limit }, workshop)
  const at = { mailbox, uidvalidity: found.uidvalidity, kept: found.coverage.source === 'mirror' }
  const stated = action.query !== undefined || found.coverage.source === 'mirror'
  return {
    uidvalidity: found.uidvalidity,
    total: sight.conceals || !(await isCounted(action, account, workshop)) ? undefined : found.matched,
    visible: found.visible,
    more: found.more,
    messages: await shown(account, at, found, action, workshop),
    identities: await identitiesOf(account, at, found.rows, workshop),
    ...(stated && { coverage: found.coverage }),
  }
}

/** Of mail that cannot be read nobody is told whether it matches a query: then there is no count of it either. */
async function isCounted(
  { query, mailbox }: ActionOf<'browse'>,
  account: Account,
  { sight, signal }: Workshop,
): Promise<boolean> {
  if (query === undefined) return true
  const { uniform } = await sight.folder(account, mailbox, signal)
  return uniform !== undefined && atLeast(uniform.level, 'METADATA')
}

/** Where hidden mail is concealed, a uid of All Mail would tell how much of it there is. */
async function identitiesOf(
  { google }: Account,
  at: MailboxAt,
  rows: readonly Judged[],
  { sight, signal }: Workshop,
): Promise<readonly GoogleIdentity[] | undefined> {
  if (google === undefined || rows.length === 0) return google && []
  const identities = await google.identities(
    at,
    rows.map(({ uid }) => uid),
    signal,
  )
  return sight.conceals ? identities.map((identity) => ({ ...identity, allMailUid: undefined })) : identities
}

async function shown(
  account: Account,
  at: MailboxAt,
  { rows: judged, visible }: FolderAnswer,
  { show, query, match }: ActionOf<'browse'>,
  { reading, sendRules, signal }: Workshop,
): Promise<readonly BrowsedMessage[]> {
  // That a message matches tells of what stands in it.
  const tells = query !== undefined || namesIn(match).length > 0
  if (tells && visible > judged.length) reading.unshown(account)
  const plain = judged.map(({ uid, level }) => ({ ...NOTHING, uid, level }))
  if (judged.length === 0 || (show === 'uids' && !(tells && sendRules.approval === 'flow'))) return plain
  const levels = new Map(judged.map(({ uid, level }) => [uid, level]))
  const structure = judged.some(({ level }) => level === 'FULL')
  const rows = await account.source.traits(at, [...levels.keys()], { fields: ROW_FIELDS, structure }, signal)
  for (const { uid, header } of rows) {
    if (atLeast(levels.get(uid) ?? 'NONE', 'ENVELOPE')) reading.message(account, header)
  }
  if (show === 'uids') return plain
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
