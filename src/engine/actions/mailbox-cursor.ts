/**
 * The token between two pages of a list of mailboxes.
 *
 * INVARIANT: it names the mailbox after which its page begins, so the same cursor gives the same page as long as no mailbox
 * of it comes or goes. It is bound to caller and account and dies after ten minutes.
 */
import { Failure } from '../../core/failure.ts'
import type { Seal } from '../../ports/seal.ts'
import { openToken } from './search-cursor.ts'

interface MailboxCursor {
  /** Whose, and which account. */
  readonly place: string
  /** The last name of the page before. */
  readonly after: string
}

/** Milliseconds since 1970 stand beside it, for its end. */
export function sealMailboxCursor(seal: Seal, { place, after }: MailboxCursor, made: number): Promise<string> {
  return seal.seal(JSON.stringify({ mailboxes: { place, after }, made }))
}

/** The name after which the page begins. */
export async function openMailboxCursor(seal: Seal, token: string, place: string, now: number): Promise<string> {
  const cursor: { mailboxes?: MailboxCursor } = await openToken(seal, token, now, 'list')
  if (cursor.mailboxes?.place === place) return cursor.mailboxes.after
  throw new Failure('invalid_input', 'cursor belongs to another caller, account or tool; list again without it')
}

export function digestAccount(seal: Seal, callerId: string, account: string): string {
  return seal.digest(JSON.stringify([callerId, account])).slice(0, 32)
}
