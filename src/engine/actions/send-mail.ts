/**
 * Puts together what a caller wrote and hands it to the outbox, which sends it once it may.
 *
 * INVARIANT: an answer goes to whom the message says that it answers, and only where that message is in the conversation that the
 * caller named.
 */

import type { AnsweredThread } from '../../core/action.ts'
import { Failure } from '../../core/failure.ts'
import type { Opened } from '../../core/message.ts'
import { loneThreadId, threadIdOf } from '../../core/mirror/thread.ts'
import { recipientsOf } from '../../core/outbox/sending.ts'
import { sendingOf } from '../../core/outbox/sending-of.ts'
import { checkWire } from '../../core/outbox/wire-check.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Perform, Workshop } from './workshop.ts'
import { writeLetter } from './write-letter.ts'

export const sendMail: Perform<'send_mail'> = async ({ account: id, letter, answers }, workshop) => {
  const account = workshop.accounts.get(id)
  const order = { letter, repliesTo: answers?.message, toItsSender: answers !== undefined, isDraft: false }
  const { composed, original, taken } = await written(order, account, answers, workshop)
  if (answers !== undefined && original !== undefined) await mustBeIn(answers, original, account, workshop)
  const { callerId, seal, outbox, sendRules: rules, ask, signal } = workshop
  const asked = { caller: callerId, account: id, thread: answers?.thread }
  const sending = sendingOf(composed, asked, (content) => seal.digest(content))
  const { messageId, bytes } = composed
  // Nobody is asked about what could not be sent.
  checkWire(bytes, { from: sending.from.address, recipients: recipientsOf(sending) })
  return outbox.send({ sending, messageId, bytes, account, rules, taken, ask }, signal)
}

/** A message that is not there, or that the caller may not know of, is in no conversation. */
async function written(
  order: Parameters<typeof writeLetter>[0],
  account: Account,
  answers: AnsweredThread | undefined,
  workshop: Workshop,
): ReturnType<typeof writeLetter> {
  try {
    return await writeLetter(order, account, workshop)
  } catch (error) {
    const isMissing = error instanceof Failure && (error.code === 'not_found' || error.code === 'conflict')
    throw answers !== undefined && isMissing && error.stage !== 'attachment' ? noThread(error) : error
  }
}

async function mustBeIn(
  { thread, message }: AnsweredThread,
  { header, uidvalidity, uid }: Opened,
  { native }: Account,
  { signal }: Workshop,
): Promise<void> {
  const { mailbox } = message
  const [known] = (await native?.idsOf({ mailbox, uidvalidity }, [uid], signal)) ?? []
  const own = known?.thread ?? threadIdOf(header) ?? loneThreadId(mailbox, uidvalidity, uid)
  if (own !== thread) throw noThread()
}

function noThread(cause?: unknown): Failure {
  return new Failure('not_found', 'there is no such message in that conversation', { cause, stage: 'thread' })
}
