/**
 * Where the next message of a mailbox goes.
 *
 * INVARIANT: of this moment, never remembered: the mailbox is opened anew. Every message that comes later has that uid
 * or a higher one, every one that is there a lower one.
 */
import type { Placed } from '../../ports/mail-source.ts'
import { mustBeDone } from './fetch.ts'
import type { Session } from './line/session.ts'
import { keywords } from './wire/command.ts'

export async function fence(session: Session, rawName: string, signal: AbortSignal): Promise<Placed> {
  const { selected } = await session.runIn(rawName, { command: 'EXAMINE' }, [], signal)
  const { uidvalidity, uidNext } = selected
  return { uidvalidity, uid: uidNext ?? (await behindTheLast(session, signal)) }
}

/** Not every server tells. This may be lower than what it keeps for itself, but never above the next message. */
async function behindTheLast(session: Session, signal: AbortSignal): Promise<number> {
  const { answers, data } = await session.run([keywords('UID', 'SEARCH', 'ALL')], signal)
  mustBeDone('search', answers)
  const uids = data.flatMap((response) => (response.kind === 'numbers' ? response.numbers : []))
  return uids.reduce((last, uid) => Math.max(last, uid), 0) + 1
}
