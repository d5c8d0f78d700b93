/**
 * Removes many messages.
 *
 * INVARIANT: before anything is sent, the mailbox is open for writing under the uidvalidity that was given. Nothing is
 * expunged but by its uid, and what is said to be gone was looked for afterwards.
 */
import { Failure } from '../../core/failure.ts'
import { flagPieces, mustBeKept, mustBeWritable, openForChange } from './changes.ts'
import { mustBeDone } from './fetch.ts'
import type { Exchange } from './line/dialogue.ts'
import type { Session } from './line/session.ts'
import type { RawMailboxAt } from './place.ts'
import { uidSets } from './sequence-set.ts'
import { keyword, keywords, latin1Text, type Piece, uidSet } from './wire/command.ts'

const DELETED = ['\\Deleted']

export async function prepareRemoval(session: Session, at: RawMailboxAt, signal: AbortSignal): Promise<void> {
  const { selected } = await openForChange(session, at, [], signal)
  mustBeWritable(selected)
  mustBeKept(session, DELETED)
}

/** One round trip: flags them, expunges them where that can be done for them alone, looks whether it was done. */
export async function removeMany(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  signal: AbortSignal,
): Promise<'expunged' | 'flagged'> {
  if (!session.capabilities.has('UIDPLUS')) {
    const { stores, reopen, unmarked } = commandsFor(at, uids)
    mustBeMarked(uids, await runChecked(session, { stores, expunges: [], looks: [reopen, ...unmarked] }, signal))
    return 'flagged'
  }
  const left = await expunged(session, at, uids, signal)
  if (left.length === 0) return 'expunged'
  // Dovecot says OK and leaves them, flagged, where another connection looks at the mailbox meanwhile.
  await prepareRemoval(session, at, signal)
  const still = await expunged(session, at, left, signal)
  if (still.length === 0) return 'expunged'
  mustBeMarked(still, await session.run(commandsFor(at, still).unmarked, signal))
  return 'flagged'
}

/** Those that are there all the same. */
async function expunged(
  session: Session,
  at: RawMailboxAt,
  uids: readonly number[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const { stores, expunges, reopen, present } = commandsFor(at, uids)
  return found(uids, await runChecked(session, { stores, expunges, looks: [reopen, ...present] }, signal))
}

interface Commands {
  readonly stores: readonly Piece[][]
  readonly expunges: readonly Piece[][]
  readonly reopen: Piece[]
  readonly present: readonly Piece[][]
  readonly unmarked: readonly Piece[][]
}

function commandsFor({ rawName }: RawMailboxAt, uids: readonly number[]): Commands {
  const sets = uidSets(uids).map(uidSet)
  return {
    stores: sets.map((set): Piece[] => [
      ...keywords('UID', 'STORE'),
      set,
      keyword('+FLAGS.SILENT'),
      flagPieces(DELETED),
    ]),
    expunges: sets.map((set): Piece[] => [...keywords('UID', 'EXPUNGE'), set]),
    // A server may put off what it shows of an open mailbox: only one that is opened anew shows what was done.
    reopen: [keyword('EXAMINE'), latin1Text(rawName)],
    present: sets.map((set): Piece[] => [...keywords('UID', 'SEARCH', 'UID'), set]),
    unmarked: sets.map((set): Piece[] => [...keywords('UID', 'SEARCH', 'UNDELETED', 'UID'), set]),
  }
}

interface Removal {
  readonly stores: readonly Piece[][]
  readonly expunges: readonly Piece[][]
  readonly looks: readonly Piece[][]
}

/** The looks may fail: what was done was done. */
async function runChecked(session: Session, removal: Removal, signal: AbortSignal): Promise<Exchange> {
  const { stores, expunges, looks } = removal
  const exchange = await session.run([...stores, ...expunges, ...looks], signal)
  mustBeDone('store', exchange.answers.slice(0, stores.length))
  mustBeDone('expunge', exchange.answers.slice(stores.length, stores.length + expunges.length))
  return exchange
}

/** A server may say OK to a STORE and not do it, where the account lacks the right to. */
function mustBeMarked(uids: readonly number[], exchange: Exchange): void {
  if (found(uids, exchange).length === 0) return
  throw new Failure('rejected', 'the mail server did not remove all of the messages', { stage: 'store' })
}

function found(uids: readonly number[], { data }: Exchange): readonly number[] {
  const asked = new Set(uids)
  return data
    .flatMap((response) => (response.kind === 'numbers' ? response.numbers : []))
    .filter((uid) => asked.has(uid))
}
