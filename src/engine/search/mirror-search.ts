/** A folder of the mirror, searched and judged in one go. Undefined where it was written anew since it was looked at. */

import type { Coverage } from '../../core/mirror/state.ts'
import { atLeast } from '../../core/policy/level.ts'
import { needsOfQuery } from '../../core/query/evaluate.ts'
import type { MirrorReading } from '../../ports/mirror-store.ts'
import type { Account, FreshFolder } from '../accounts/accounts.ts'
import { unlessRewritten } from '../accounts/mirrored-source.ts'
import type { SearchDesk } from './desk.ts'
import type { FolderAnswer, FolderQuestion } from './search-folder.ts'

export async function searchMirror(
  account: Account,
  store: MirrorReading,
  { state, asOf }: FreshFolder,
  question: FolderQuestion,
  desk: SearchDesk,
): Promise<FolderAnswer | undefined> {
  const { mailbox, query, match, offset, take } = question
  const { sight, signal } = desk
  const { definition } = await sight.folder(account, mailbox, signal)
  const sifted = await unlessRewritten(
    store.sift([mailbox], {
      criteria: {},
      query,
      match,
      rules: new Map([[mailbox, definition]]),
      nowSeconds: sight.nowSeconds,
      needed: 'METADATA',
      uidvalidity: state.uidvalidity,
      offset,
      take,
    }),
  )
  if (sifted === undefined) return undefined
  const partial = needsOfQuery(query).text ? await partlySearched(account, store, state.uidvalidity, question, desk) : 0
  return {
    uidvalidity: state.uidvalidity,
    matched: sifted.matched,
    visible: sifted.visible,
    rows: sifted.rows,
    more: sifted.more,
    coverage: coverageOf(asOf, partial),
  }
}

/** How many messages whose words the caller may ask for have more text than is searched. */
async function partlySearched(
  account: Account,
  store: MirrorReading,
  uidvalidity: number,
  { mailbox }: FolderQuestion,
  { sight, signal }: SearchDesk,
): Promise<number> {
  const at = { mailbox, uidvalidity, kept: true }
  const uids = (await unlessRewritten(store.partial(at))) ?? []
  if (uids.length === 0) return 0
  const levels = await sight.levels(account, await sight.folder(account, mailbox, signal), at, uids, signal)
  return uids.filter((uid) => atLeast(levels.get(uid) ?? 'NONE', 'BODY')).length
}

/** What an answer rests on that was given by a folder of the mirror. */
export function coverageOf(asOf: string | undefined, partial = 0): Coverage {
  const cut = partial > 0 && { partial }
  if (asOf === undefined) return { source: 'mirror', complete: partial === 0, notes: [], ...cut }
  const notes = ['the mail server cannot be reached; this is what was known of the folder last']
  return { source: 'mirror', complete: false, notes, ...cut, asOf }
}
