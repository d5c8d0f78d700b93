/**
 * The one error class we throw on purpose: the world said no.
 *
 * INVARIANT: `message` is ours and safe to show an agent. What a server, a library or a mail said stays in `cause`
 * and reaches only the log.
 */
const CODES = {
  invalid_input: { retryable: false },
  not_found: { retryable: false },
  conflict: { retryable: false },
  auth_failed: { retryable: false },
  // The line cannot be made safe: a certificate or a port is wrong, and trying again will not mend it.
  tls_failed: { retryable: false },
  timeout: { retryable: true },
  unavailable: { retryable: true },
  rejected: { retryable: false },
  unsupported: { retryable: false },
  too_large: { retryable: false },
  unreadable: { retryable: false },
  cancelled: { retryable: true },
  // The request left this process and no answer came back: look before doing it again.
  outcome_unknown: { retryable: false },
  internal: { retryable: false },
} as const

export type FailureCode = keyof typeof CODES

export interface FailureOptions extends ErrorOptions {
  /** Which part of the work failed, for reports: `connect`, `search`, `fetch`, `copy` … */
  readonly stage?: string
  /** Facts of our own that help the caller: numbers and names it gave us, never mail or server text. */
  readonly details?: Readonly<Record<string, string | number | boolean>>
  /** The IMAP response code of the server's refusal, one that `knownResponseCode` lists. */
  readonly responseCode?: string | undefined
}

export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly stage: string | undefined
  readonly details: FailureOptions['details']
  readonly responseCode: string | undefined

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options)
    this.code = code
    this.stage = options.stage
    this.details = options.details
    this.responseCode = options.responseCode
  }

  get retryable(): boolean {
    return CODES[this.code].retryable
  }
}

/** For branches the types say cannot happen. Reaching one is a bug, not a failure. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
