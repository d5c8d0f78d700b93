/** What a mirror knows of a folder, and how much of it an answer rests on. */
import type { Part } from '../mime/part.ts'

/** How much of an account is kept on this machine. */
export type MirrorDepth = 'headers' | 'full'

/** Where a folder stood when it was last looked at: the same again means that nothing has changed. */
export interface FolderState {
  readonly uidvalidity: number
  readonly uidNext: number
  /** How many messages it held. */
  readonly messages: number
  /** HIGHESTMODSEQ in decimal; absent where the server keeps none. */
  readonly modseq?: string
}

/** One message as it is first fetched. */
export interface Row {
  readonly uid: number
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  readonly size: number
  readonly flags: readonly string[]
  /** The fields of `MIRRORED_FIELDS`, as they stand in the message. */
  readonly header: Uint8Array
  /** There is more of it than is ever read: rules hide such a message, and its words are not searched. */
  readonly headerCut: boolean
  readonly structure: Part
  /** Where the server knows threads: its own name for this one. */
  readonly serverThread?: string
}

/** The header fields that a mirror keeps: what listings show, rules look at, words stand in and threads follow. */
export const MIRRORED_FIELDS = [
  'Date',
  'From',
  'To',
  'Cc',
  'Bcc',
  'Reply-To',
  'Subject',
  'Message-ID',
  'In-Reply-To',
  'References',
  'Received',
  'Authentication-Results',
] as const

export interface UidFlags {
  readonly uid: number
  readonly flags: readonly string[]
}

/** What has happened to a folder since a state. What has arrived is what has a uid of `uidNext` or more. */
export type Changes =
  | { readonly kind: 'same' }
  /** Another folder under the same name: nothing that was known of it holds. */
  | { readonly kind: 'remade'; readonly state: FolderState }
  | { readonly kind: 'changed'; readonly state: FolderState; readonly flags: readonly UidFlags[]; readonly gone: Gone }

export type Gone =
  | { readonly kind: 'these'; readonly uids: readonly number[] }
  /** Everything that has arrived before and is not among these, in any order. */
  | { readonly kind: 'all_but'; readonly uids: readonly number[] }

/** What a message can be found by beyond its header, once it has been read. */
export interface MessageText {
  readonly uid: number
  /** The visible text of its body. */
  readonly body: string
  /** The visible text of its attachments, in order. */
  readonly attachments: readonly string[]
  /** What a person may not see of its body; absent where there is nothing of that. */
  readonly uncertain?: string
  /** The same of its attachments. */
  readonly uncertainAttachments?: readonly string[]
  /** The beginning of the body, for listings. */
  readonly snippet: string
  /** The body has more visible text than `body` holds, or may have. */
  readonly partial?: boolean
}

/** What an answer rests on. */
export interface Coverage {
  readonly source: 'mirror' | 'live'
  /** False where some of what was asked for was not looked at; `notes` say what. */
  readonly complete: boolean
  readonly notes: readonly string[]
  /** How many messages were searched whose text is only partly searched, where there are any. */
  readonly partial?: number
  /** When the server could not be asked: how old the answer is, ISO 8601. */
  readonly asOf?: string
}
