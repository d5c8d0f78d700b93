/** Everything a caller can ask for. Closed: adding a kind breaks the build until it is handled everywhere. */
import type { AskedCriteria } from './criteria.ts'
import type { MessageRef } from './message-id.ts'
import type { Results } from './results.ts'

export type Action =
  | { readonly kind: 'list_accounts' }
  | { readonly kind: 'verify_account'; readonly account: string }
  | { readonly kind: 'list_mailboxes'; readonly account: string }
  | SearchAction
  | ReadMessageAction
  | { readonly kind: 'read_raw'; readonly message: MessageRef; readonly maxBytes: number }
  | { readonly kind: 'read_attachment'; readonly message: MessageRef; readonly part: string }
  | UpdateFlagsAction
  | { readonly kind: 'copy_message'; readonly message: MessageRef; readonly to: Destination }
  | { readonly kind: 'move_message'; readonly message: MessageRef; readonly to: Destination }
  | { readonly kind: 'delete_message'; readonly message: MessageRef }

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

export interface ReadMessageAction {
  readonly kind: 'read_message'
  readonly message: MessageRef
  readonly bodyChars: number
  readonly html: boolean
  /** Characters of text to take from each attachment that has any; absent for none. */
  readonly attachmentChars: number | undefined
}

export interface UpdateFlagsAction {
  readonly kind: 'update_flags'
  readonly message: MessageRef
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

export interface Destination {
  readonly account: string
  readonly mailbox: string
}

export type ActionKind = Action['kind']
export type ActionOf<K extends ActionKind> = Extract<Action, { kind: K }>
export type ResultOf<K extends ActionKind> = Results[K]
