/** What each kind of action brings back when it could be carried out, wholly or in part. */
import type { Warning } from './content.ts'
import type { Mailbox } from './message.ts'
import type { MessageRef } from './message-id.ts'
import type { HeaderField } from './mime/header.ts'

export interface Results {
  list_accounts: { readonly accounts: readonly AccountSummary[] }
  verify_account: {
    readonly account: AccountSummary
    readonly capabilities: readonly string[]
    readonly latencyMs: number
  }
  list_mailboxes: { readonly mailboxes: readonly Mailbox[] }
  search: SearchPage
  read_message: MessageView
  read_raw: { readonly size: number; readonly bytes: Uint8Array }
  read_attachment: { readonly type: string; readonly filename: string | undefined; readonly bytes: Uint8Array }
  update_flags: FlagsChange
  copy_message: Relocation
  move_message: Relocation
  delete_message: Relocation
}

export interface AccountSummary {
  readonly id: string
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

/** Something that went wrong beside what went right. `message` is our own words. */
export interface Issue {
  readonly code: string
  readonly stage: string
  readonly message: string
  readonly retryable: boolean
  readonly uid?: number
}

export interface SearchPage {
  readonly uidvalidity: number
  readonly total: number
  readonly attempted: number
  readonly messages: readonly ListedMessage[]
  readonly issues: readonly Issue[]
  readonly nextCursor: string | undefined
  /** Set where the criteria are too long for the cursor to carry: they must be sent again with it. */
  readonly resendCriteria: boolean
}

export interface ListedMessage {
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
  readonly date: string | undefined
  readonly size: number
  readonly flags: readonly string[]
  readonly from: string | undefined
  readonly to: string | undefined
  readonly cc: string | undefined
  readonly subject: string | undefined
  /** Every field, in order, decoded, one line each. */
  readonly header: readonly HeaderField[]
  readonly text: string | undefined
  readonly textTruncated: boolean
  readonly html: string | undefined
  readonly htmlTruncated: boolean
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
}

export interface FlagsChange {
  /** Absent when the flags could not be read back. */
  readonly flags: readonly string[] | undefined
  readonly added: boolean
  readonly removed: boolean
  readonly issues: readonly Issue[]
}

export interface Relocation {
  /** Whether any mailbox is other than it was: then a failure is one in part. */
  readonly changed: boolean
  readonly attempted: number
  readonly succeeded: number
  readonly created: MessageRef | undefined
  readonly issues: readonly Issue[]
}
