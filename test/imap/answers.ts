/** The answers of the tool set, written down by hand from its contract: what a client may rely on. */

export interface Envelope {
  readonly summary: string
  readonly data: Data
  readonly meta: Meta
}

export interface Meta {
  readonly now_utc: string
  readonly duration_ms: number
}

/** The fields of all ten tools; each answer has those of its own tool. */
export interface Data {
  readonly status: 'ok' | 'partial' | 'failed'
  readonly issues: readonly Issue[]
  readonly next_action: NextAction
  readonly accounts: readonly object[]
  readonly account_id: string
  readonly ok: boolean
  readonly latency_ms: number
  readonly server: object
  readonly capabilities: readonly string[]
  readonly mailboxes: readonly { readonly name: string; readonly delimiter?: string }[]
  readonly mailbox: string
  readonly total: number
  readonly attempted: number
  readonly returned: number
  readonly failed: number
  readonly messages: readonly Listed[]
  readonly next_cursor?: string
  readonly has_more: boolean
  readonly message: Message
  readonly message_id: string
  readonly size_bytes: number
  readonly truncated: boolean
  readonly raw_source_base64: string
  readonly raw_source_encoding: string
  readonly flags: readonly string[] | null
  readonly new_message_id?: string
  readonly steps_attempted: number
  readonly steps_succeeded: number
}

export interface Issue {
  readonly code: string
  readonly stage: string
  readonly message: string
  readonly retryable: boolean
  readonly uid?: number
  readonly message_id?: string
}

export interface NextAction {
  readonly instruction: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Listed {
  readonly message_id: string
  readonly message_uri: string
  readonly message_raw_uri: string
  readonly mailbox: string
  readonly uidvalidity: number
  readonly uid: number
  readonly date?: string
  readonly from?: string
  readonly subject?: string
  readonly flags?: readonly string[]
  readonly snippet?: string
}

export interface Message extends Omit<Listed, 'snippet'> {
  readonly to?: string
  readonly cc?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body_text?: string
  readonly body_truncated?: boolean
  readonly body_html?: string
  readonly body_html_truncated?: boolean
  readonly attachments?: readonly Attachment[]
  readonly content_warnings: readonly string[]
}

export interface Attachment {
  readonly filename?: string
  readonly content_type: string
  readonly size_bytes: number
  readonly part_id: string
  readonly extracted_text?: string
  readonly text_truncated?: boolean
}

/** A JSON-RPC error. */
export interface Refusal {
  readonly code: number
  readonly message: string
  readonly data: {
    readonly code: string
    readonly details?: Readonly<Record<string, unknown>>
    readonly meta: Meta
  }
}
