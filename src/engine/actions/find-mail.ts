/**
 * The newest messages that a query means, in one folder or in all of an account.
 *
 * INVARIANT: newest first, whatever folders they are in. Folders that the caller may not know of are not searched; junk and
 * trash only where the query names them. The coverage is that of the folder that was covered least.
 */
import type { ActionOf } from '../../core/action.ts'
import { newestFirst } from '../../core/criteria.ts'
import { Failure } from '../../core/failure.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import { withRoles } from '../../core/mailbox-roles.ts'
import type { Mailbox, Summary } from '../../core/message.ts'
import type { Coverage } from '../../core/mirror/state.ts'
import { loneThreadId, threadIdOf } from '../../core/mirror/thread.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import { placesOf } from '../../core/query/places.ts'
import type { Query } from '../../core/query/query.ts'
import type { FoundMessage } from '../../core/results.ts'
import { cut } from '../../core/text/cut.ts'
import type { Account } from '../accounts/accounts.ts'
import { unlessRewritten } from '../accounts/mirrored-source.ts'
import { readQuery, settleFor, settleIn, withServerNames } from '../search/asked-query.ts'
import { type FolderAnswer, searchFolder } from '../search/search-folder.ts'
import { mailboxesOf } from './list-mailboxes.ts'
import { BODY_START_BYTES, listed } from './listed-message.ts'
import { named } from './native-names.ts'
import type { Perform, Workshop } from './workshop.ts'

/** Of a folder's answer, what is needed to put it in order with the others'. */
interface Hit {
  readonly mailbox: string
  readonly uidvalidity: number
  readonly row: Summary
  readonly level: Level
  readonly snippet?: string
}

export const findMail: Perform<'find_mail'> = async (action, workshop) => {
  const account = workshop.accounts.get(action.account)
  const query = readQuery(action.query, workshop.sight.nowSeconds)
  const folders = await foldersToSearch(action, query, account, workshop)
  const answers = await Promise.all(
    folders.map(async ({ mailbox, query: settled }) => ({
      mailbox,
      ...(await searchFolder(account, { mailbox, query: settled, match: {}, offset: 0, take: action.limit }, workshop)),
    })),
  )
  const hits = (await Promise.all(answers.map((answer) => hitsOf(account, answer, action, workshop)))).flat()
  const newest = hits.toSorted((a, b) => newestFirst(a.row, b.row)).slice(0, action.limit)
  const total = answers.reduce((sum, { visible }) => sum + visible, 0)
  if (query.kind !== 'all' && total > newest.length) workshop.reading.unshown(account)
  return {
    total,
    messages: await named(
      account,
      await Promise.all(newest.map((hit) => shown(account, hit, action, workshop))),
      workshop,
    ),
    more: total > newest.length,
    coverage: together(answers.map(({ coverage }) => coverage)),
  }
}

interface ToSearch {
  readonly mailbox: string
  readonly query: Query
}

async function foldersToSearch(
  { account: id, mailbox }: ActionOf<'find_mail'>,
  query: Query,
  account: Account,
  workshop: Workshop,
): Promise<readonly ToSearch[]> {
  if (mailbox !== undefined) {
    return [{ mailbox, query: await settleFor(account, mailbox, query, workshop.signal) }]
  }
  const { named } = await mailboxesOf(id, workshop)
  const seen = await visible(withRoles(named), account, workshop)
  const asked = withServerNames(query, seen, account)
  const places = placesOf(asked)
  const folders = chosen(seen, places, account)
    .map((box) => ({ mailbox: box.name, query: settleIn(asked, box) }))
    .filter((one) => one.query.kind !== 'none')
  if (folders.length === 0 && places.size > 0) throw nowhere(seen)
  return folders
}

/** A search of no folder at all would look like one that found nothing. */
function nowhere(seen: readonly Mailbox[]): Failure {
  const there = seen.map(({ name, delimiter }) => pathOf(name, delimiter)).join(', ') || 'none that you may see'
  return new Failure('not_found', `the query names no folder of the account; there are: ${there}`, { stage: 'select' })
}

/** Those in which a message could be seen at all. */
async function visible(
  mailboxes: readonly Mailbox[],
  account: Account,
  { sight, signal }: Workshop,
): Promise<readonly Mailbox[]> {
  const policies = await Promise.all(mailboxes.map(({ name }) => sight.folder(account, name, signal)))
  return mailboxes.filter((_mailbox, at) => atLeast(policies[at]?.ceiling ?? 'NONE', 'METADATA'))
}

/** What people put out of their sight: searched only where it is named. */
const ASIDE: Readonly<Record<string, string>> = { junk: 'spam', trash: 'trash' }

/** Google keeps every message under one label too: elsewhere it would only be found twice. */
function chosen(mailboxes: readonly Mailbox[], places: ReadonlySet<string>, { google }: Account): readonly Mailbox[] {
  if (places.has('anywhere')) return mailboxes
  const all = mailboxes.find(({ role }) => role === 'all')
  if (google !== undefined && all !== undefined && places.size === 0) return [all]
  return mailboxes.filter(({ role, name, delimiter }) => {
    const place = ASIDE[role ?? '']
    return place === undefined || places.has(place) || places.has(pathOf(name, delimiter).toLowerCase())
  })
}

/** Where the mirror answered, it may know the beginnings of the texts too. */
async function hitsOf(
  { source, mirror }: Account,
  { mailbox, uidvalidity, rows, coverage }: FolderAnswer & { readonly mailbox: string },
  { snippetChars }: ActionOf<'find_mail'>,
  { signal }: Workshop,
): Promise<readonly Hit[]> {
  if (rows.length === 0) return []
  const at = { mailbox, uidvalidity, kept: coverage.source === 'mirror' }
  const levels = new Map(rows.map(({ uid, level }) => [uid, level]))
  const uids = [...levels.keys()]
  const wanted = snippetChars !== undefined
  const snippets = wanted && at.kept ? mirror && (await unlessRewritten(mirror.store.snippets(at, uids))) : undefined
  const bytes = wanted && snippets?.size !== uids.length ? BODY_START_BYTES : 0
  const summaries = await source.summaries(at, uids, bytes, signal)
  return summaries.map((row) => {
    const snippet = snippets?.get(row.uid)
    return { mailbox, uidvalidity, row, level: levels.get(row.uid) ?? 'NONE', ...(snippet && { snippet }) }
  })
}

async function shown(
  account: Account,
  { mailbox, uidvalidity, row, level, snippet }: Hit,
  { snippetChars }: ActionOf<'find_mail'>,
  workshop: Workshop,
): Promise<FoundMessage> {
  const ref = { account: account.id, mailbox, uidvalidity, uid: row.uid }
  const known = snippet !== undefined && snippetChars !== undefined && atLeast(level, 'BODY')
  const message = await listed(account, ref, row, level, known ? undefined : snippetChars, workshop)
  const threadId = threadIdOf(row.header) ?? loneThreadId(mailbox, uidvalidity, row.uid)
  return { ...message, ref, threadId, snippet: known ? cut(snippet, snippetChars).text : message.snippet }
}

/** What holds for all of them. */
function together(coverages: readonly Coverage[]): Coverage {
  const live = coverages.some(({ source }) => source === 'live')
  const [asOf] = coverages.flatMap((coverage) => coverage.asOf ?? []).toSorted()
  const partial = coverages.reduce((sum, coverage) => sum + (coverage.partial ?? 0), 0)
  return {
    source: live || coverages.length === 0 ? 'live' : 'mirror',
    complete: coverages.every(({ complete }) => complete),
    notes: [...new Set(coverages.flatMap(({ notes }) => notes))],
    ...(partial > 0 && { partial }),
    ...(asOf !== undefined && { asOf }),
  }
}
