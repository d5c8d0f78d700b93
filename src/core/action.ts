/** Everything a caller can ask for. Closed: adding a kind breaks the build until it is handled everywhere. */
import type { AskedCriteria } from './criteria.ts'
import type { MarkVerdict } from './many.ts'
import type { MessageRef } from './message-id.ts'
import type { Level } from './policy/level.ts'
import type { Match } from './policy/predicates.ts'
import type { Results } from './results.ts'

export type Action =
  | { readonly kind: 'list_accounts' }
  | { readonly kind: 'verify_account'; readonly account: string }
  | ListMailboxesAction
  | { readonly kind: 'list_folders'; readonly account: string }
  | { readonly kind: 'list_labels'; readonly account: string }
  | { readonly kind: 'folder_stats'; readonly account: string; readonly mailbox: string }
  | SearchAction
  | BrowseAction
  | FindMailAction
  | ReadMessageAction
  | { readonly kind: 'read_raw'; readonly message: MessageRef; readonly maxBytes: number }
  | ReadAttachmentAction
  | UpdateFlagsAction
  | { readonly kind: 'mark_seen'; readonly message: MessageRef; readonly seen: boolean }
  | TagMessageAction
  | MarkManyAction
  | RelocateAction<'copy_message'>
  | RelocateAction<'move_message'>
  | RelocateManyAction
  | { readonly kind: 'delete_message'; readonly message: MessageRef }
  | { readonly kind: 'create_draft'; readonly account: string; readonly mailbox: string; readonly bytes: Uint8Array }
  | ComposeDraftAction
  | SendMailAction
  | ChangeLabelsAction
  | { readonly kind: 'describe_policy' }
  | { readonly kind: 'identify_caller' }
  | { readonly kind: 'transaction_status'; readonly transaction: string }

export interface ListMailboxesAction {
  readonly kind: 'list_mailboxes'
  readonly account: string
  /** Continues an earlier list. */
  readonly cursor?: string | undefined
  /** Absent for all of them at once. */
  readonly limit?: number
}

export interface SearchAction {
  readonly kind: 'search'
  readonly account: string
  readonly mailbox: string
  readonly criteria: AskedCriteria
  /** Continues an earlier search. Criteria beside it are allowed when they are the ones it was made with. */
  readonly cursor: string | undefined
  readonly limit: number
  /** Characters of readable body to show with each message. */
  readonly snippetChars: number | undefined
}

/** A page of a folder by number, with an account of what the caller does not see of it. */
export interface BrowseAction {
  readonly kind: 'browse'
  readonly account: string
  readonly mailbox: string
  readonly match: Match
  /** In the query language; must hold as well. */
  readonly query: string | undefined
  readonly limit: number
  readonly offset: number
  /** Only which messages they are, or what a listing shows of each. */
  readonly show: 'uids' | 'rows'
}

/** The newest messages that match, in one folder or in all of an account. */
export interface FindMailAction {
  readonly kind: 'find_mail'
  readonly account: string
  /** Absent for all folders but junk and trash, unless the query names those. */
  readonly mailbox: string | undefined
  /** In the query language. */
  readonly query: string
  readonly limit: number
  readonly snippetChars: number | undefined
}

export interface ReadMessageAction {
  readonly kind: 'read_message'
  readonly message: MessageRef
  /** The account that the caller says the message is in. */
  readonly within?: string
  /** The level without which the answer would be of no use. */
  readonly needs: Level
  /** How deep to read: what lies above is not even downloaded. */
  readonly depth: Level
  readonly bodyChars: number
  readonly html: boolean
  /** Characters of text to take from each attachment that has any; absent for none. */
  readonly attachmentChars: number | undefined
  /** Characters of each uncertain text that were shown before. */
  readonly uncertainFrom?: number
}

export interface ReadAttachmentAction {
  readonly kind: 'read_attachment'
  readonly message: MessageRef
  /** The account that the caller says the message is in. */
  readonly within?: string
  /** A part number or a file name; absent for the first attachment. */
  readonly part: string | undefined
  /** Larger ones are put into a file instead of the answer. */
  readonly inlineBytes: number | undefined
  /** Larger ones are not downloaded, and the call fails. */
  readonly mostBytes?: number
  /** How many characters of its text are wanted, or of a picture its size. */
  readonly readable?: number
  /** Characters of its uncertain text that were shown before. */
  readonly uncertainFrom?: number
}

export interface UpdateFlagsAction {
  readonly kind: 'update_flags'
  readonly message: MessageRef
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** Keywords and `\Flagged`: what a caller may hang on a message that it need not see. */
export interface TagMessageAction {
  readonly kind: 'tag_message'
  readonly message: MessageRef
  readonly tags: readonly string[]
  readonly mode: 'add' | 'remove' | 'replace'
}

/** Several messages of one folder. Each of them has an ending of its own. */
export interface MarkManyAction {
  readonly kind: 'mark_many'
  readonly from: { readonly account: string; readonly mailbox: string; readonly uidvalidity: number }
  readonly uids: readonly number[]
  readonly change: { readonly kind: 'mark_seen'; readonly seen: boolean } | Omit<TagMessageAction, 'message'>
  /** What the gate has decided for each of them; nothing is marked without. */
  readonly verdicts?: readonly MarkVerdict[]
}

/** A letter of the caller's own, put together here and left among the drafts. */
export interface ComposeDraftAction {
  readonly kind: 'compose_draft'
  readonly account: string
  /** Where drafts go. */
  readonly mailbox: string
  readonly letter: Letter
  /** The message that it answers. */
  readonly repliesTo: MessageRef | undefined
  /** Whether it is only noted while nothing may leave. */
  readonly heldBack?: boolean
}

/** A letter that is to be sent, once a person has said so. */
export interface SendMailAction {
  readonly kind: 'send_mail'
  readonly account: string
  /** Where it answers a message, that one says to whom it goes and what it is about. */
  readonly letter: Letter
  readonly answers: AnsweredThread | undefined
}

export interface AnsweredThread {
  /** As the caller names it. */
  readonly thread: string
  readonly message: MessageRef
}

/** As the caller wrote it. */
export interface Letter {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  /** Those that nobody else is told of. */
  readonly bcc?: readonly string[]
  readonly subject: string
  readonly body: string
  /** The same as the body, for readers that show it. */
  readonly html?: string
  readonly attachments?: readonly AttachedPart[]
}

/** A part of a message that is there already: nothing else is ever attached. */
export interface AttachedPart {
  readonly message: MessageRef
  /** Its number or its file name. */
  readonly part: string
}

/** Labels by the names that people know: `STARRED`, `UNREAD`, `IMPORTANT`, a Google label, else a keyword. */
export interface ChangeLabelsAction {
  readonly kind: 'change_labels'
  readonly message: MessageRef
  readonly within?: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

export interface RelocateAction<K extends string> {
  readonly kind: K
  readonly message: MessageRef
  readonly to: Destination
  /** Whether a message that the caller cannot see may be meant. */
  readonly blind: boolean
  /** Whether it had a star when it was judged, where that matters at the destination. */
  readonly starred?: boolean
}

/** Several messages of one folder. Each of them has an ending of its own. */
export interface RelocateManyAction {
  readonly kind: 'relocate_many'
  readonly operation: 'copy' | 'move'
  readonly from: { readonly account: string; readonly mailbox: string; readonly uidvalidity: number }
  readonly uids: readonly number[]
  readonly to: Destination
  /** What the gate found of each message; absent until it has looked. */
  readonly judged?: JudgedMany
}

/** Those that are in neither set are not there, as far as the caller may know. */
export interface JudgedMany {
  /** Those that the change would show more of to this caller. */
  readonly rising: ReadonlySet<number>
  /** Those that may go. */
  readonly free: readonly number[]
  /** What the caller sees of each now. */
  readonly levels: ReadonlyMap<number, Level>
  /** Whether it had a star, where that matters at the destination. */
  readonly starred: ReadonlyMap<number, boolean>
  /** In bytes. */
  readonly sizes: ReadonlyMap<number, number>
}

export interface Destination {
  readonly account: string
  readonly mailbox: string
}

export type ActionKind = Action['kind']
export type ActionOf<K extends ActionKind> = Extract<Action, { kind: K }>
export type ResultOf<K extends ActionKind> = Results[K]
