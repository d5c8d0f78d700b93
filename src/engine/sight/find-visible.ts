/**
 * A search that finds only what the caller may see.
 *
 * INVARIANT: the answer has the shape and order of the source's own; `total` counts what is visible. A term about a field
 * that the caller may not read matches no message, in the results or in the counts: otherwise hidden text could be guessed letter by letter.
 */

import { newestFirst } from '../../core/criteria.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import { atLeast, higher, type Level } from '../../core/policy/level.ts'
import type { HiddenCount } from '../../core/policy-description.ts'
import { EVERYTHING } from '../../core/query/query.ts'
import { criteriaReadableFrom } from '../../core/query/readable.ts'
import type { Found, Search } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { unlessRewritten } from '../accounts/mirrored-source.ts'
import { MOST_MESSAGES } from './fact-keeper.ts'
import type { Sight } from './sight.ts'

export interface FoundVisible extends Found {
  readonly filteredOut: HiddenCount
}

export async function findVisible(
  account: Account,
  mailbox: string,
  search: Search,
  sight: Sight,
  signal: AbortSignal,
): Promise<FoundVisible> {
  const folder = await sight.folder(account, mailbox, signal)
  const readableFrom = criteriaReadableFrom(search.criteria)
  const needed = higher('METADATA', readableFrom)
  const isSeen = (level: Level | undefined): boolean => level !== undefined && atLeast(level, needed)
  const { uniform } = folder
  if (uniform !== undefined && isSeen(uniform.level)) {
    return { ...(await account.source.find(mailbox, search, signal)), filteredOut: sight.conceals ? undefined : 0 }
  }
  const kept = await foundInMirror(account, mailbox, search, needed, folder, sight, signal)
  if (kept !== undefined) return kept
  const { criteria, belowUid } = search
  // Where it could have answered, the mirror was asked just now.
  const every = { criteria, take: MOST_MESSAGES, most: MOST_MESSAGES, atServer: !sight.conceals }
  const all = await account.source.find(mailbox, { ...every, ...(belowUid !== undefined && { belowUid }) }, signal)
  const { uidvalidity } = all
  const at = { mailbox, uidvalidity, kept: all.kept }
  const levels = await sight.levels(account, folder, at, all.uids, signal)
  const visible = all.uids.filter((uid) => isSeen(levels.get(uid)))
  const matched = all.uids.filter((uid) => atLeast(levels.get(uid) ?? 'NONE', readableFrom))
  const following = await after(search, all.uids, visible, async (uids) =>
    account.source.traits(at, uids, { fields: [], structure: false }, signal),
  )
  const uids = following.filter((uid) => search.skip?.has(uid) !== true)
  return {
    uidvalidity,
    kept: all.kept,
    asOf: all.asOf,
    // What has arrived unseen must not show in the number that the next message would get.
    uidNext: sight.conceals ? largest(visible) + 1 : all.uidNext,
    total: visible.length,
    uids: uids.slice(0, search.take),
    more: uids.length > search.take,
    filteredOut: sight.conceals ? undefined : matched.length - visible.length,
  }
}

/** Where hidden mail is concealed, the next uid is that of what is visible, which only looking at all of it tells. */
async function foundInMirror(
  { mirror }: Account,
  mailbox: string,
  search: Search,
  needed: Level,
  { definition }: FolderPolicy,
  sight: Sight,
  signal: AbortSignal,
): Promise<FoundVisible | undefined> {
  if (mirror === undefined || sight.conceals || search.criteria.text !== undefined) return undefined
  const folder = (await mirror.fresh([mailbox], signal)).get(mailbox)
  if (folder === undefined) return undefined
  const sifted = await unlessRewritten(
    mirror.store.sift([mailbox], {
      ...search,
      query: EVERYTHING,
      match: {},
      rules: new Map([[mailbox, definition]]),
      nowSeconds: sight.nowSeconds,
      needed,
      uidvalidity: folder.state.uidvalidity,
    }),
  )
  if (sifted === undefined) return undefined
  return {
    uidvalidity: folder.state.uidvalidity,
    kept: true,
    asOf: folder.asOf,
    uidNext: folder.state.uidNext,
    total: sifted.visible,
    uids: sifted.rows.map(({ uid }) => uid),
    more: sifted.more,
    filteredOut: sifted.matched - sifted.visible,
  }
}

function largest(uids: readonly number[]): number {
  return uids.reduce((most, uid) => Math.max(most, uid), 0)
}

type Dated = { readonly uid: number; readonly received: number }

/** What comes after a position in the order newest first; the message that was there may be gone by now. */
async function after(
  { after: position }: Search,
  all: readonly number[],
  visible: readonly number[],
  dates: (uids: readonly number[]) => Promise<readonly Dated[]>,
): Promise<readonly number[]> {
  if (position === undefined) return visible
  const place = all.indexOf(position.uid)
  if (place !== -1) {
    const before = new Set(all.slice(0, place + 1))
    return visible.filter((uid) => !before.has(uid))
  }
  const dated = await dates(visible)
  return dated.filter((message) => newestFirst(position, message) < 0).map(({ uid }) => uid)
}
