/** A folder of the mirror, searched and judged in one go. Undefined where it was written anew since it was looked at. */

import type { Coverage } from '../../core/mirror/state.ts'
import type { MirrorReading } from '../../ports/mirror-store.ts'
import type { Account, FreshFolder } from '../accounts/accounts.ts'
import { unlessRewritten } from '../accounts/mirrored-source.ts'
import type { SearchDesk } from './desk.ts'
import type { FolderAnswer, FolderQuestion } from './search-folder.ts'

export async function searchMirror(
  account: Account,
  store: MirrorReading,
  { state, asOf }: FreshFolder,
  { mailbox, query, match, offset, take }: FolderQuestion,
  { sight, signal }: SearchDesk,
): Promise<FolderAnswer | undefined> {
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
  return {
    uidvalidity: state.uidvalidity,
    matched: sifted.matched,
    visible: sifted.visible,
    rows: sifted.rows,
    more: sifted.more,
    coverage: coverageOf(asOf),
  }
}

/** What an answer rests on that was given by a folder of the mirror. */
export function coverageOf(asOf: string | undefined): Coverage {
  if (asOf === undefined) return { source: 'mirror', complete: true, notes: [] }
  const notes = ['the mail server cannot be reached; this is what was known of the folder last']
  return { source: 'mirror', complete: false, notes, asOf }
}
