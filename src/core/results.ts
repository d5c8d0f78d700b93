/** What each kind of action brings back when it could be carried out, wholly or in part. */
import type { UncertainPage, Warning } from './content.ts'
import type { MarkEnding, RelocationEnding } from './many.ts'
import type { MailboxPage } from './message.ts'
import type { MessageRef } from './message-id.ts'
import type { HeaderField } from './mime/header.ts'
import type { Coverage } from './mirror/state.ts'
import type { Level } from './policy/level.ts'
import type { HiddenCount, PolicyDescription, Provider } from './policy-description.ts'
import type { SendEnding } from './send-ending.ts'

export interface Results {
  list_accounts: { readonly accounts: readonly AccountSummary[]; readonly hidden: HiddenCount }
  verify_account: {
    readonly account: AccountSummary
    readonly capabilities: readonly string[]
    readonly latencyMs: number
  }
  list_mailboxes: MailboxPage
  list_folders: { readonly folders: readonly FolderCount[]; readonly hidden: HiddenCount }
  list_labels: { readonly labels: readonly Label[]; readonly hidden: HiddenCount }
  folder_stats: FolderStats
  search: SearchPage
  browse: BrowsePage
  find_mail: FoundMail
  read_message: MessageView
  read_raw: { readonly size: number; readonly bytes: Uint8Array }
  read_attachment: AttachmentContent
  update_flags: FlagsChange
  mark_seen: FlagsChange
  tag_message: FlagsChange
  mark_many: { readonly uidvalidity: number; readonly endings: readonly MarkEnding[] }
  copy_message: Relocation
  move_message: Relocation
  relocate_many: { readonly uidvalidity: number; readonly endings: readonly RelocationEnding[] }
  delete_message: Relocation
  create_draft: { readonly uid: number | undefined; readonly uidvalidity: number | undefined }
  compose_draft: ComposedDraft
  send_mail: SendEnding
  change_labels: LabelsChange
  describe_policy: PolicyDescription
  identify_caller: { readonly callerId: string }
  transaction_status: TransactionStatus
}

export interface AccountSummary {
  readonly id: string
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly provider: Provider
  /** Whether its access has to be granted anew by a person. */
  readonly state: 'active' | 'needs_rebootstrap'
}

export interface FolderCount {
  readonly path: string
  /** Messages that the caller may count; absent where it may count none. */
  readonly count: number | undefined
}

export interface Label {
  readonly name: string
  readonly flags: readonly string[]
  readonly separator: string
}

export interface FolderStats {
  readonly visible: number
  readonly hidden: HiddenCount
  readonly defaultLevel: Level
  readonly byLevel: Readonly<Partial<Record<Level, number>>>
  /** Where the server could not be asked. */
  readonly coverage?: Coverage
}

export interface BrowsePage {
  readonly uidvalidity: number
  /** What matches, seen or not; absent where the policy conceals what is hidden. */
  readonly total: HiddenCount
  readonly visible: number
  readonly more: boolean
  readonly messages: readonly BrowsedMessage[]
  /** Google accounts: which message each uid is, whatever label it was found under. */
  readonly identities: readonly GoogleIdentity[] | undefined
  /** What the answer rests on, where a query was asked or a mirror answered. */
  readonly coverage?: Coverage
}

export interface FoundMail {
  /** Of those that the caller may see, as far as was looked. */
  readonly total: number
  readonly messages: readonly FoundMessage[]
  readonly more: boolean
  readonly coverage: Coverage
}

export interface FoundMessage extends ListedMessage {
  readonly ref: MessageRef
  /** The conversation it belongs to. */
  readonly threadId: string | undefined
  /** As its provider names it, where that has a name of its own. */
  readonly nativeId?: string
}

export interface ComposedDraft {
  /** Absent where the server does not tell, or the caller may not know. */
  readonly ref: MessageRef | undefined
  /** As they stand in the draft. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly subject: string
  /** As its provider names it, where that has a name of its own. */
  readonly nativeId?: string
  /** It was only noted: nothing may leave. */
  readonly heldBack?: boolean
}

export interface LabelsChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** All that the message has now; absent when they could not be read back. */
  readonly labels: readonly string[] | undefined
  /** Those of `added` that are also the name of a folder: the message is not moved there. */
  readonly folders: readonly string[]
  readonly issues: readonly Issue[]
}

export interface GoogleIdentity {
  readonly uid: number
  readonly gmMsgid: string
  readonly allMailUid: number | undefined
}

export interface BrowsedMessage {
  readonly level: Level
  readonly uid: number
  readonly size: number | undefined
  readonly flags: readonly string[] | undefined
  readonly date: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly subject: string | undefined
  readonly hasAttachment: boolean | undefined
}

export interface AttachmentContent {
  readonly part: string
  readonly type: string
  readonly filename: string | undefined
  readonly size: number
  /** SHA-256 in hex. */
  readonly digest: string
  /** Empty where the content was put into a file. */
  readonly bytes: Uint8Array
  readonly savedTo: string | undefined
  /** Whether that file goes after an hour. */
  readonly isTemporary?: boolean
  /** Where it was asked for, and it is a document that can be read. */
  readonly text?: string
  readonly textTruncated?: boolean
  /** Beside the text. */
  readonly uncertain?: UncertainPage | undefined
  /** What was found in reading that text. */
  readonly warnings?: readonly Warning[]
  /** In pixels, where it was asked for, and it is a picture. */
  readonly image?: { readonly width: number; readonly height: number }
}

/** Only the caller who started a transaction sees more than `unknown`. */
export type TransactionStatus = { readonly state: 'unknown' } | KnownTransaction

export interface KnownTransaction {
  readonly state: 'pending' | 'staged' | 'committed' | 'aborted' | 'needs_operator'
  readonly operation: 'move' | 'copy'
  readonly source: MessageRef
  readonly destination: { readonly account: string; readonly mailbox: string }
  readonly messageId: string | undefined
  readonly retryCount: number
  readonly lastError: string | undefined
  readonly responseCode: string | undefined
}

/** Something that went wrong beside what went right. `message` is our own words. */
export interface Issue {
  readonly code: string
  readonly stage: string
  readonly message: string
  readonly retryable: boolean
  readonly uid?: number
  /** Where one of the words for moves between accounts says it best. */
  readonly transferError?: string
  /** The IMAP response code with which the server explained it. */
  readonly responseCode?: string
}

export interface SearchPage {
  readonly uidvalidity: number
  /** Of those that the caller may see. */
  readonly total: number
  /** Matches that it may not see. */
  readonly filteredOut: HiddenCount
  readonly attempted: number
  readonly messages: readonly ListedMessage[]
  readonly issues: readonly Issue[]
  readonly nextCursor: string | undefined
  /** Set where the criteria are too long for the cursor to carry: they must be sent again with it. */
  readonly resendCriteria: boolean
}

export interface ListedMessage {
  readonly level: Level
  readonly uid: number
  /** ISO 8601, UTC. */
  readonly date: string | undefined
  readonly size: number
  readonly flags: readonly string[]
  readonly from: string | undefined
  readonly subject: string | undefined
  readonly snippet: string | undefined
}

export interface MessageView {
  /** The conversation it belongs to. */
  readonly threadId: string | undefined
  readonly date: string | undefined
  readonly size: number
  readonly flags: readonly string[]
  readonly from: string | undefined
  readonly to: string | undefined
  readonly cc: string | undefined
  readonly subject: string | undefined
  readonly messageId: string | undefined
  /** Every field, in order, decoded, one line each. */
  readonly header: readonly HeaderField[]
  readonly text: string | undefined
  readonly textTruncated: boolean
  readonly html: string | undefined
  readonly htmlTruncated: boolean
  /** What a person may not see of the body. */
  readonly uncertain?: UncertainPage | undefined
  readonly attachments: readonly AttachmentView[]
  readonly warnings: readonly Warning[]
  readonly issues: readonly Issue[]
}

export interface AttachmentView {
  readonly part: string
  readonly filename: string | undefined
  readonly type: string
  /** Decoded size in bytes; an estimate where only the structure is known. */
  readonly size: number
  readonly text: string | undefined
  readonly textTruncated: boolean
  /** Where its text was asked for. */
  readonly uncertain?: UncertainPage | undefined
}

export interface FlagsChange {
  /** Absent when the flags could not be read back. */
  readonly flags: readonly string[] | undefined
  readonly added: boolean
  readonly removed: boolean
  readonly issues: readonly Issue[]
}

/** How a message got to its new place. */
export type Mechanism = 'native_move' | 'copy_store_expunge' | 'native_copy' | 'gmail_label_swap' | 'saga'

export interface Relocation {
  readonly mechanism: Mechanism | undefined
  /** Of a move between accounts. */
  readonly txId?: string
  /** Whether any mailbox is other than it was: then a failure is one in part. */
  readonly changed: boolean
  readonly attempted: number
  readonly succeeded: number
  readonly created: MessageRef | undefined
  readonly issues: readonly Issue[]
}
