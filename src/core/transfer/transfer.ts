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
  /** SHA-256 in hex. */
  readonly hash: string
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

export interface Transfer extends Intent {
  readonly status: TransferStatus
  readonly content: Content | undefined
  readonly fence: Fence | undefined
  readonly targetUid: number | undefined
  /** That of the mailbox the copy was read back from: it may have been made anew since the fence. */
  readonly targetUidvalidity: number | undefined
  /** The original is gone, or flagged `\Deleted` where its server can do no more. */
  readonly sourceGone: 'no' | 'flagged' | 'yes'
  readonly retryCount: number
  /** Why the last try failed: one of a few words. */
  readonly lastError: string | undefined
  /** What the destination said against it, in our words; not kept in the journal's table, but among its events. */
  readonly lastReason?: string | undefined
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
    sourceGone: 'no',
    retryCount: 0,
    lastError: undefined,
    committedAt: undefined,
  }
}
