/** What lies among the approvals of the vault. */
export interface Approvals {
  readonly files: readonly ApprovalFile[]
  /** What lies there and counts for nothing; `why` goes on after the name: `is a link`. */
  readonly ignored: readonly { readonly file: string; readonly why: string }[]
}

/** The front matter of a file. Values are text, trimmed; absent where they are. */
export interface ApprovalFile {
  readonly file: string
  readonly id: string | undefined
  readonly digest: string | undefined
  readonly type: string
  readonly status: string | undefined
  /** Addresses as they stand there, one each. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string | undefined
  readonly threadId: string | undefined
  readonly account: string | undefined
  /** `approved_at`, else `created`, else the file's own time; milliseconds since 1970. */
  readonly at: number
}
