/**
 * A provider's own names for its messages and conversations, where it has any that outlive a folder.
 *
 * Promises: a name is the provider's and never changes; what it has no name for is left out. Otherwise the promises of
 * `MailSource` hold here too.
 */
import type { MailboxAt } from './mail-source.ts'

export interface NativeIds {
  /** For the uids that are still there, in the order asked for. */
  idsOf(at: MailboxAt, uids: readonly number[], signal: AbortSignal): Promise<readonly NativeId[]>
  /**
   * A place where the message stands now, the most telling one; undefined where there is no such message. A draft is found
   * by its own name too.
   */
  locate(message: string, signal: AbortSignal): Promise<NativePlace | undefined>
  /** The messages of a conversation, oldest first, each at one place; none where there is no such conversation. */
  thread(id: string, signal: AbortSignal): Promise<readonly NativePlace[]>
}

export interface NativeId {
  readonly uid: number
  readonly message: string
  readonly thread: string
}

export interface NativePlace {
  readonly mailbox: string
  readonly uidvalidity: number
  readonly uid: number
}
