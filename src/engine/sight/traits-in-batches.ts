/**
 * The traits of any number of messages, a few at a time.
 *
 * INVARIANT: what is held at once is bounded, whatever senders write: many messages with short headers, or few with long
 * ones. No message is ever judged by a part of its header.
 */
import type { Traits } from '../../core/message.ts'
import type { MailboxAt, MailSource, TraitsWanted } from '../../ports/mail-source.ts'

const BATCH = 1000
const LONG_BATCH = 16

export async function* traitsInBatches(
  source: MailSource,
  at: MailboxAt,
  uids: readonly number[],
  wanted: TraitsWanted,
  signal: AbortSignal,
): AsyncGenerator<readonly Traits[]> {
  for (let from = 0; from < uids.length; from += BATCH) {
    const first = { ...wanted, shortHeadersOnly: true }
    const batch = await source.traits(at, uids.slice(from, from + BATCH), first, signal)
    yield batch.filter(({ headerCut }) => !headerCut)
    const long = batch.filter(({ headerCut }) => headerCut)
    yield* withLongHeaders(source, at, long, wanted, signal)
  }
}

/** Their structure is known by now. */
async function* withLongHeaders(
  source: MailSource,
  at: MailboxAt,
  known: readonly Traits[],
  { fields }: TraitsWanted,
  signal: AbortSignal,
): AsyncGenerator<readonly Traits[]> {
  const structures = new Map(known.map(({ uid, structure }) => [uid, structure]))
  const uids = [...structures.keys()]
  for (let from = 0; from < uids.length; from += LONG_BATCH) {
    const some = uids.slice(from, from + LONG_BATCH)
    const whole = await source.traits(at, some, { fields, structure: false }, signal)
    yield whole.map((traits) => ({ ...traits, structure: structures.get(traits.uid) }))
  }
}
