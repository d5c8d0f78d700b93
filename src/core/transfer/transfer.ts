/**
 * A message on its way from one account to another, as the journal keeps it.
 *
 * INVARIANT: names its operation from the first moment, so that whoever goes on with it can never delete what was only
 * to be copied. Holds no text of the message.
 */
import type { Destination } from '../action.ts'
import type { MessageRef } from '../message-id.ts'

export type Operation = 'move' | 'copy'

export type TransferStatus = 'pending' | 'staged' | 'committed' | 'aborted' | 'needs_operator'

export interface Intent {
  readonly txId: string
  readonly callerId: string
  readonly operation: Operation
  /** Under the uidvalidity it was judged by. */
  readonly source: MessageRef
  readonly destination: Destination
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The caller could read who wrote the message, and so may be told its Message-ID. */
  readonly readable?: true
  /** Whether it had a star when it was judged, where rules of the destination look at stars: only so may it go there. */
  readonly starred?: boolean
}

/** What the message is: its bytes by their hash, and what travels beside them. */
export interface Content {
  /** SHA-256 in hex, of the message as `comparable` gives it. Journals before version 3 hold that of the bytes as they were. */
  readonly hash: string
  /** Of the message as it is sent. */
  readonly size: number
  readonly flags: readonly string[]
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  /** For people who look for it; proves nothing. */
  readonly messageId: string | undefined
}

/** The destination just before the message was sent there: what has arrived since has a uid from here on. */
export interface Fence {
  readonly uidvalidity: number
  readonly uidNext: number
}

/**
 * A message at the destination that is not proven to be the copy: the server acknowledged the message but stores something
 * else, or no answer came and a message that arrived since looks like it.
 */
export interface UnprovenCopy {
  readonly kind: 'acknowledged' | 'similar'
  /** Unknown where the server did not tell where it put the message. */
  readonly placed: { readonly uid: number; readonly uidvalidity: number } | undefined
}

export interface Transfer extends Intent {
  readonly status: TransferStatus
  readonly content: Content | undefined
  readonly fence: Fence | undefined
  readonly targetUid: number | undefined
  /** That of the mailbox the copy was read back from: it may have been made anew since the fence. */
  readonly targetUidvalidity: number | undefined
  /** Of a message that the server acknowledged, nothing is ever sent again. */
  readonly unproven: UnprovenCopy | undefined
  /** The original is gone, or flagged `\Deleted` where its server can do no more. */
  readonly sourceGone: 'no' | 'flagged' | 'yes'
  readonly retryCount: number
  /** Why the last try failed: one of a few words. */
  readonly lastError: string | undefined
  /** The response code with which a server explained the last failure, one that `knownResponseCode` lists. */
  readonly responseCode: string | undefined
  readonly committedAt: number | undefined
}

export function begun(intent: Intent): Transfer {
  return {
    ...intent,
    status: 'pending',
    content: undefined,
    fence: undefined,
    targetUid: undefined,
    targetUidvalidity: undefined,
    unproven: undefined,
    sourceGone: 'no',
    retryCount: 0,
    lastError: undefined,
    responseCode: undefined,
    committedAt: undefined,
  }
}
