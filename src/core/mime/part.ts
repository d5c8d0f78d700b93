/**
 * One node of a MIME structure.
 *
 * `id` is the IMAP part number. A multipart root has the id `''`. A `message/rfc822` part has one child, the root of the
 * message in it: where that is a multipart its id is `n.TEXT` and its parts are `n.1`, `n.2` …, else it is `n.1` itself.
 */
export interface Part {
  readonly id: string
  /** Lower case, `text/plain`. */
  readonly type: string
  /** Lower-case names, decoded values. */
  readonly parameters: Readonly<Record<string, string>>
  readonly disposition: string | undefined
  readonly filename: string | undefined
  readonly contentId: string | undefined
  /** Content-Description, decoded, where the source tells it. */
  readonly description?: string | undefined
  /** Lower case: `base64`, `quoted-printable`, `7bit` … */
  readonly encoding: string
  /** Bytes as transferred, before decoding. */
  readonly size: number
  readonly children: readonly Part[]
}
