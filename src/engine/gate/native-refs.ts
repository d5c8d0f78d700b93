/**
 * Messages that a caller knows by their provider's own names, found in their folders.
 *
 * INVARIANT: what leaves here names messages by folder and uid alone, so that they are judged like all others.
 */
import { Failure } from '../../core/failure.ts'
import type { MessageRef } from '../../core/message-id.ts'
import type { AccountBook } from '../accounts/accounts.ts'

/** `account` is the one that the call is about. */
export async function located(
  ref: MessageRef,
  account: string,
  book: AccountBook,
  signal: AbortSignal,
): Promise<MessageRef> {
  if (ref.native === undefined) return ref
  const found = await book.find(account)?.native?.locate(ref.native, signal)
  if (found === undefined) throw new Failure('not_found', 'there is no such message', { stage: 'message' })
  const { mailbox, uidvalidity, uid } = found
  return { account, mailbox, uidvalidity, uid }
}
