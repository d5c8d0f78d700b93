/** What we know of one message. Strings that came from outside have been decoded and are one line each. */
import type { HeaderField } from './mime/header.ts'
import type { Part } from './mime/part.ts'

export type { Part }

export interface Mailbox {
  /** Decoded, with the server's own delimiter. */
  readonly name: string
  readonly delimiter: string | undefined
  /** RFC 6154 role without its backslash: `sent`, `drafts`, `trash`, `junk`, `archive`, `all`, `flagged`. */
  readonly role: string | undefined
  /** False for a name that only holds other mailboxes. */
  readonly selectable: boolean
  /** Its attributes as the server writes them, `\HasNoChildren` and the like. */
  readonly attributes: readonly string[]
  /** As it was known last: the server could not be asked. */
  readonly remembered?: true
}

/** Some of the mailboxes of an account. */
export interface MailboxPage {
  readonly mailboxes: readonly Mailbox[]
  /** On all pages together. */
  readonly total: number
  readonly nextCursor: string | undefined
}

/** What a listing needs of a message: flags, times, size and the header fields that listings show. */
export interface Summary {
  readonly uid: number
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  readonly size: number
  readonly flags: readonly string[]
  readonly header: readonly HeaderField[]
  /** The first bytes of the body as they are on the server, where a snippet was asked for. */
  readonly bodyStart: Uint8Array | undefined
}

/** What rules look at, and listings show, of many messages at once. */
export interface Traits {
  readonly uid: number
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  readonly size: number
  readonly flags: readonly string[]
  /** Only the fields asked for. */
  readonly header: readonly HeaderField[]
  /** There is more of it than is ever read: what stands there proves nothing about what does not. */
  readonly headerCut: boolean
  /** Where it was asked for. */
  readonly structure: Part | undefined
}

/** A message before any of its body is downloaded. */
export interface Opened {
  readonly uidvalidity: number
  readonly uid: number
  readonly received: number
  readonly size: number
  readonly flags: readonly string[]
  readonly header: readonly HeaderField[]
  /** There is more of it than is ever read. */
  readonly headerCut: boolean
  readonly structure: Part
}

/** A part of a message as it was downloaded: still transfer-encoded, perhaps only its beginning. */
export interface PartBytes {
  readonly id: string
  readonly bytes: Uint8Array
  /** False when the part is longer than what was asked for. */
  readonly complete: boolean
  /** Its end, where that was asked for. */
  readonly last?: Uint8Array
}
