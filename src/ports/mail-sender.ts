/**
 * Hands a finished message to whoever delivers it.
 *
 * Promises: the bytes go out as they are and to exactly the recipients of the envelope, each once. A call is one attempt and
 * repeats nothing. Where it resolves, the message was accepted. Where it rejects with a `Failure` of any code but
 * `outcome_unknown`, it certainly was not accepted for anybody, and may be tried again where that failure is retryable. Once
 * the message may have been accepted and no answer says whether (the connection was lost after its last byte could have
 * arrived, the time was up, the caller left), it rejects with `outcome_unknown`, and nobody may send it again. Calls may run at once.
 * Neither message nor cause of a failure ever holds a secret.
 */
export interface MailSender {
  send(mail: OutgoingMail, signal: AbortSignal): Promise<Delivered>
  /** Lets go of connections. The sender is unusable afterwards. */
  close(): Promise<void>
}

export interface OutgoingMail {
  readonly from: string
  /** Bare addresses, distinct, at least one: those of To and Cc, and those that nobody else is told of. */
  readonly recipients: readonly string[]
  /** The whole message, CRLF, without a Bcc field. */
  readonly bytes: Uint8Array
  /** The provider's own name for the conversation that it continues. */
  readonly thread?: string
}

export interface Delivered {
  /** The provider's own names, where it has any. */
  readonly id?: string
  readonly thread?: string
  /** Those that the server would not take, where it took others. */
  readonly refused: readonly string[]
}
