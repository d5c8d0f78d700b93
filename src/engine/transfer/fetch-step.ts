/**
 * Brings the messages here: into private files, with their hash, their flags and their date.
 *
 * INVARIANT: no more of them are in memory at once than `inTurns` allows, by the sizes their server tells.
 */
import { Failure } from '../../core/failure.ts'
import { firstField, parseHeader } from '../../core/mime/header.ts'
import { isFlagged } from '../../core/policy/facts.ts'
import { withCrlf } from '../../core/transfer/line-ends.ts'
import type { TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { WholeMessage } from '../../ports/mail-source.ts'
import { inTurns } from './batches.ts'
import { contentHash, isContent } from './content-hash.ts'
import type { StepCase, TransferStep } from './passage.ts'
import { type SourcePlace, sourcePlaces } from './source-places.ts'

/** A message larger than this is not carried from one account to another. */
export const LARGEST_CARRIED = 64 * 1024 * 1024

export const fetchStep: TransferStep = async (about) => {
  const { source, batch, digest, spool, held, signal } = about
  const events = new Map<string, TransferEvent>()
  const { turns, unfit } = await plan(about)
  for (const { at, transfers, uidOf } of turns) {
    const uids = transfers.map(uidOf)
    const whole = await unlessSomeAreHere(events, () => source.source.rawMany(at, uids, LARGEST_CARRIED, signal))
    // The others stay as they are: the next try begins with them.
    if (whole === undefined) return events
    const byUid = new Map(whole.map((message) => [message.uid, { ...message, bytes: withCrlf(message.bytes) }]))
    const here = transfers.flatMap((transfer) => {
      const message = byUid.get(uidOf(transfer))
      return message === undefined ? [] : [{ txId: transfer.txId, message, isSame: isAsJudged(transfer, message) }]
    })
    for (const { txId, isSame } of here) if (!isSame) unfit.add(txId)
    const carried = here.filter(({ isSame }) => isSame)
    await spool.write(carried.map(({ txId, message: { bytes } }) => ({ txId, bytes })))
    for (const { txId, message } of carried) {
      // Those of several turns would be too many.
      if (turns.length === 1) held.set(txId, message.bytes)
      events.set(txId, fetched(message, contentHash(message.bytes, digest)))
    }
  }
  for (const { txId } of batch.filter((one) => !events.has(one.txId)))
    events.set(txId, { kind: 'refused', error: unfit.has(txId) ? 'fetch_failed' : 'uid_not_found' })
  return events
}

interface Plan {
  readonly turns: readonly SourcePlace[]
  /** Those that are there but must stay. */
  readonly unfit: Set<string>
}

async function plan(about: StepCase): Promise<Plan> {
  const turns: SourcePlace[] = []
  const unfit = new Set<string>()
  for (const place of await sourcePlaces(about)) {
    const sizeOf = await sizesIn(place, about)
    const there = place.transfers.flatMap((transfer) => {
      const size = sizeOf(transfer)
      return size === undefined ? [] : [{ transfer, size }]
    })
    for (const { transfer, size } of there) if (size > LARGEST_CARRIED) unfit.add(transfer.txId)
    const fit = there.filter(({ size }) => size <= LARGEST_CARRIED)
    const some = inTurns(fit, ({ size }) => size)
    turns.push(...some.map((turn) => ({ ...place, transfers: turn.map(({ transfer }) => transfer) })))
  }
  return { turns, unfit }
}

/** Asked for only where several are of unknown size: every look costs a round trip, and one alone is never too much. */
async function sizesIn(
  { at, transfers, uidOf }: SourcePlace,
  { source, batch, sizes, signal }: StepCase,
): Promise<(transfer: Transfer) => number | undefined> {
  if (transfers.every(({ txId }) => sizes.has(txId))) return ({ txId }) => sizes.get(txId)
  if (batch.length === 1) return () => 0
  const traits = await source.source.traits(at, transfers.map(uidOf), { fields: [], structure: false }, signal)
  const byUid = new Map(traits.map(({ uid, size }) => [uid, size]))
  return (transfer) => byUid.get(uidOf(transfer))
}

function isAsJudged({ starred }: Transfer, { flags }: WholeMessage): boolean {
  return starred === undefined || starred === isFlagged(flags)
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

function fetched({ bytes, flags, received }: WholeMessage, hash: string): TransferEvent {
  const messageId = firstField(parseHeader(bytes), 'message-id')
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
  return message !== undefined && isContent(message.bytes, transfer.content, digest) ? message.bytes : undefined
}
