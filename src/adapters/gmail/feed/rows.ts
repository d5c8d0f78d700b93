/**
 * Messages as a mirror first fetches them, and the beginnings of their parts.
 *
 * INVARIANT: in batches, those with the largest uids first; the next is asked for when the one before it has been taken. Of a
 * message no more is kept than what is wanted of it.
 */
import { headerExtent } from '../../../core/mime/header.ts'
import { MIRRORED_FIELDS, type Row } from '../../../core/mirror/state.ts'
import type { TextBytes, TextWanted, UidRange } from '../../../ports/mail-feed.ts'
import type { FolderAt } from '../mailboxes.ts'
import type { LookedThrough, Messages } from '../messages.ts'
import { partsOf, structureOf } from '../record.ts'
import type { UidStore } from '../uids/store.ts'
import { chosenFields } from './header.ts'

const MESSAGES_A_BATCH = 100
const MIRRORED = new Set(MIRRORED_FIELDS.map((name) => name.toLowerCase()))

export async function* rowsWithin(
  { uids, messages }: { readonly uids: UidStore; readonly messages: Messages },
  find: () => Promise<FolderAt>,
  { from, to }: UidRange,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[], void, undefined> {
  const at = await find()
  const known = (await uids.all(at.folder.id, signal)).map(({ uid }) => uid)
  const wanted = known.filter((uid) => uid >= from && uid <= to).reverse()
  for (let start = 0; start < wanted.length; start += MESSAGES_A_BATCH) {
    const rows = await messages.whole(at, wanted.slice(start, start + MESSAGES_A_BATCH), signal, rowOf)
    if (rows.length > 0) yield rows
  }
}

function rowOf({ uid, received, size, flags, thread, bytes, record }: LookedThrough): Row {
  const { header, cut } = chosenFields(bytes.subarray(0, headerExtent(bytes).end), MIRRORED)
  const headerCut = record.headerCut || cut
  return { uid, received, size, flags, header, headerCut, structure: structureOf(record), serverThread: thread }
}

export async function textsOf(
  messages: Messages,
  at: FolderAt,
  wanted: readonly TextWanted[],
  signal: AbortSignal,
): Promise<readonly TextBytes[]> {
  const partsWanted = new Map(wanted.map(({ uid, parts }) => [uid, parts]))
  const uids = wanted.filter(({ parts }) => parts.length > 0).map(({ uid }) => uid)
  const found = await messages.whole(at, uids, signal, ({ uid, bytes, record }) =>
    partsOf(bytes, record, partsWanted.get(uid) ?? []).map((part): TextBytes => ({ uid, ...part })),
  )
  return found.flat()
}
