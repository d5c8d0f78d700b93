/**
 * What Postern's own mailbox can do beyond any mail source: be filled.
 *
 * Promises: `appendMany` is one transaction. When it resolves, the messages and the bookmark are on disk together;
 * when it rejects, or the process dies before it resolves, neither is. Several processes may fill one mailbox at once.
 */
import type { NewMessage } from './mail-source.ts'

export interface LocalMailbox {
  /** Makes the mailbox unless it is there; one that is there keeps its role, or takes this one if it has none. */
  createMailbox(name: string, role?: string): Promise<void>
  /** Mailboxes that are missing are made. */
  appendMany(batch: readonly Filing[], bookmark: Bookmark | undefined, signal: AbortSignal): Promise<Filed>
  /** How far this source was read, if it was left unfinished. */
  bookmark(source: string): Promise<string | undefined>
  /** Forgets how far the source was read. */
  forgetBookmark(source: string): Promise<void>
}

export interface Filing extends NewMessage {
  readonly mailbox: string
  /** RFC 6154 role for the mailbox, should it have to be made. */
  readonly role?: string
  /** A message whose mailbox already holds one of the same key is left out. */
  readonly key?: string
}

/** A place in something that is read from beginning to end. */
export interface Bookmark {
  readonly source: string
  readonly position: string
}

export interface Filed {
  /** For each message of the batch whether it was added; false where its key was there already. */
  readonly added: readonly boolean[]
}
