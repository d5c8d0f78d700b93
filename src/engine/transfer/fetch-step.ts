/** Brings the messages here: into private files, with their hash, their flags and their date. */
import { Failure } from '../../core/failure.ts'
import { firstField } from '../../core/mime/header.ts'
import { isFlagged } from '../../core/policy/facts.ts'
import type { TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { WholeMessage } from '../../ports/mail-source.ts'
import { inTurns } from './batches.ts'
import type { TransferStep } from './passage.ts'
import { sourcePlaces } from './source-places.ts'

/** A message larger than this is not carried from one account to another. */
export const LARGEST_CARRIED = 64 * 1024 * 1024

export const fetchStep: TransferStep = async (about) => {
  const { source, batch, spool, digest, signal } = about
  const places = await sourcePlaces(about)
  const events = new Map<string, TransferEvent>()
  for (const { at, transfers, uidOf } of places) {
    const uids = transfers.map(uidOf)
    const traits = await source.source.traits(at, uids, { fields: ['Message-ID'], structure: false }, signal)
    const known = new Map(traits.map((one) => [one.uid, one]))
    const small = uids.filter((uid) => (known.get(uid)?.size ?? 0) <= LARGEST_CARRIED && known.has(uid))
    const byUid = Map.groupBy(transfers, uidOf)
    for (const turn of inTurns(small, (uid) => known.get(uid)?.size ?? 0)) {
      const whole = await unlessSomeAreHere(events, () => source.source.rawMany(at, turn, LARGEST_CARRIED, signal))
      // The others stay as they are: the next try begins with them.
      if (whole === undefined) return events
      for (const message of whole) {
        const header = known.get(message.uid)?.header ?? []
        for (const { txId, starred } of byUid.get(message.uid) ?? []) {
          if (starred !== undefined && starred !== isFlagged(message.flags)) continue
          await spool.write(txId, message.bytes)
          events.set(txId, fetched(message, digest(message.bytes), firstField(header, 'message-id')))
        }
      }
    }
    for (const transfer of transfers.filter(({ txId }) => !events.has(txId))) {
      const error = known.has(uidOf(transfer)) ? 'fetch_failed' : 'uid_not_found'
      events.set(transfer.txId, { kind: 'refused', error })
    }
  }
  for (const { txId } of batch) if (!events.has(txId)) events.set(txId, { kind: 'refused', error: 'uid_not_found' })
  return events
}

/** What is here is worth keeping, whatever becomes of the rest: a slow line would never carry all of them in one try. */
async function unlessSomeAreHere<T>(
  { size }: ReadonlyMap<string, TransferEvent>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure && size > 0) return undefined
    throw error
  }
}

function fetched({ bytes, flags, received }: WholeMessage, hash: string, messageId: string | undefined): TransferEvent {
  return { kind: 'fetched', content: { hash, size: bytes.length, flags: storable(flags), received, messageId } }
}

/** Other flags with a backslash, `\Recent` among them, are a server's own; `\Deleted` is a step of ours. */
const STORABLE = new Set(['\\seen', '\\answered', '\\flagged', '\\draft'])

function storable(flags: readonly string[]): readonly string[] {
  return flags.filter((flag) => !flag.startsWith('\\') || STORABLE.has(flag.toLowerCase()))
}

/** The bytes again, for a transfer whose private file is gone: only if they are still the same. */
export async function refetched(
  transfer: Transfer,
  about: Parameters<TransferStep>[0],
): Promise<Uint8Array | undefined> {
  const { source, digest, signal } = about
  const [place] = await sourcePlaces({ ...about, batch: [transfer] })
  if (place === undefined) return undefined
  const [message] = await source.source.rawMany(place.at, [place.uidOf(transfer)], LARGEST_CARRIED, signal)
  return message !== undefined && digest(message.bytes) === transfer.content?.hash ? message.bytes : undefined
}
