/**
 * Message ids: `imap:{account}:{mailbox}:{uidvalidity}:{uid}`.
 *
 * INVARIANT: parsed from both ends, so a mailbox name may hold anything, colons included, and
 * `parse(format(ref))` is `ref` for every valid ref.
 */
import { Failure } from './failure.ts'

export interface MessageRef {
  readonly account: string
  readonly mailbox: string
  readonly uidvalidity: number
  readonly uid: number
  /** The provider's own name for it, where that is all the caller knows: settled before anything is judged. */
  readonly native?: string
}

/** For a caller that did not say under which uidvalidity it saw a uid: whichever the mailbox has now. */
export const ANY_UIDVALIDITY = 0

const SHAPE = /^imap:([A-Za-z0-9_.@+-]{1,64}):(.+):([0-9]{1,10}):([0-9]{1,10})$/s
const MAX_UID = 0xffff_ffff

export function formatMessageId({ account, mailbox, uidvalidity, uid }: MessageRef): string {
  return `imap:${account}:${mailbox}:${uidvalidity}:${uid}`
}

export function parseMessageId(text: string): MessageRef {
  const [, account, mailbox, uidvalidity, uid] = SHAPE.exec(text) ?? []
  if (account === undefined || mailbox === undefined) {
    throw new Failure('invalid_input', 'message_id must look like imap:{account_id}:{mailbox}:{uidvalidity}:{uid}')
  }
  return { account, mailbox, uidvalidity: uidNumber('uidvalidity', uidvalidity), uid: uidNumber('uid', uid) }
}

function uidNumber(what: string, digits: string | undefined): number {
  const value = Number(digits)
  if (value >= 1 && value <= MAX_UID) return value
  throw new Failure('invalid_input', `message_id has a ${what} outside 1 to ${MAX_UID}`)
}
