/**
 * Messages that a caller knows by their provider's own names, found in their folders.
 *
 * INVARIANT: what leaves here names messages by folder and uid alone, so that they are judged like all others.
 */
import type { Action, AnsweredThread, Letter } from '../../core/action.ts'
import { Failure } from '../../core/failure.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { AccountBook } from '../accounts/accounts.ts'

/** `account` is the one that the call is about. */
export async function withLocated<A extends Action>(
  action: A,
  account: string,
  book: AccountBook,
  signal: AbortSignal,
): Promise<A> {
  const at = (ref: MessageRef): Promise<MessageRef> => located(ref, account, book, signal)
  const settled: Record<string, unknown> = { ...action }
  if ('message' in action) settled['message'] = await at(action.message)
  if ('repliesTo' in action && action.repliesTo !== undefined) settled['repliesTo'] = await at(action.repliesTo)
  if ('answers' in action && action.answers !== undefined) settled['answers'] = await answering(action.answers, at)
  if ('letter' in action) settled['letter'] = await withAttached(action.letter, at)
  return settled as unknown as A
}

type Locate = (ref: MessageRef) => Promise<MessageRef>

async function answering(answers: AnsweredThread, at: Locate): Promise<AnsweredThread> {
  return { ...answers, message: await at(answers.message) }
}

async function withAttached(letter: Letter, at: Locate): Promise<Letter> {
  if (letter.attachments === undefined) return letter
  const attachments = await Promise.all(
    letter.attachments.map(async ({ message, part }) => ({ message: await at(message), part })),
  )
  return { ...letter, attachments }
}

async function located(ref: MessageRef, account: string, book: AccountBook, signal: AbortSignal): Promise<MessageRef> {
  if (ref.native === undefined) return ref
  const found = await book.find(account)?.native?.locate(ref.native, signal)
  if (found === undefined) throw new Failure('not_found', 'there is no such message', { stage: 'message' })
  const { mailbox, uidvalidity, uid } = found
  return { account, mailbox, uidvalidity, uid }
}
