/**
 * How we say that something is not there.
 *
 * INVARIANT: what a caller may not know of is refused in the same words as what does not exist.
 */
export function absentAccount(id: string): string {
  return `account "${id}" is not configured; list the accounts to see which are`
}

export const ABSENT_MAILBOX = 'the mailbox does not exist; list the mailboxes to see which do'
