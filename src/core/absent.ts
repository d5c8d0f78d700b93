/**
 * How we say that something is not there.
 *
 * INVARIANT: what a caller may not know of is refused in the same words as what does not exist.
 */
import { Failure } from './failure.ts'

export function absentAccount(id: string): string {
  return `account "${id}" is not configured; list the accounts to see which are`
}

export const ABSENT_MAILBOX = 'the mailbox does not exist; list the mailboxes to see which do'

export function absentMessage(uid: number): string {
  return `there is no message with uid ${uid} in the mailbox`
}

export function messageMissing(uid: number, stage = 'fetch'): Failure {
  return new Failure('not_found', absentMessage(uid), { stage, details: { uid } })
}

export const ABSENT_DESTINATION = 'the destination mailbox does not exist'

export function mailboxMissing(): Failure {
  return new Failure('not_found', ABSENT_MAILBOX, { stage: 'select' })
}
