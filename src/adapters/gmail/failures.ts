/**
 * Every way in which Gmail can say no, in our words.
 *
 * INVARIANT: no token is in any message or cause; what Google said stands only in a cause, cut short.
 */
import { Failure } from '../../core/failure.ts'

/** An answer that is no success. Never leaves the adapter: whoever asked judges it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  /** Google's word for it, `rateLimitExceeded` and the like. */
  readonly reason: string
  readonly retryAfterMs: number | undefined

  constructor(status: number, reason: string, text: string, retryAfterMs: number | undefined) {
    super(`HTTP ${status} ${reason} ${text}`.slice(0, 500))
    this.status = status
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** No whole answer came. Never leaves the adapter either. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  /** Whether the request may have reached Gmail. */
  readonly sent: boolean
  readonly failure: Failure

  constructor(sent: boolean, failure: Failure) {
    super(failure.message, { cause: failure })
    this.sent = sent
    this.failure = failure
  }
}

const SLOW_DOWN = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED', 'quotaExceeded'])
const API_IS_OFF = new Set(['accessNotConfigured', 'SERVICE_DISABLED'])

/** Whether Gmail only wants it later: nothing was done. */
export function isSlowDown({ status, reason }: Refusal): boolean {
  return status === 429 || (status === 403 && SLOW_DOWN.has(reason))
}

export function isBroken({ status }: Refusal): boolean {
  return status >= 500 || status === 408
}

export function refusalFailure(refusal: Refusal, stage: string): Failure {
  const { status, retryAfterMs } = refusal
  const options = { cause: refusal, stage }
  if (isSlowDown(refusal)) {
    const details = retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) }
    return new Failure('unavailable', 'Gmail asks to slow down; try again in a minute', { ...options, details })
  }
  if (isBroken(refusal)) return new Failure('unavailable', 'Gmail has a fault of its own; try again later', options)
  switch (status) {
    case 401:
      return new Failure('auth_failed', 'Gmail does not accept the access token; grant access anew', options)
    case 403:
      return forbidden(refusal, stage)
    case 404:
      return new Failure('not_found', 'Gmail has no such message, label or thread any more', options)
    case 409:
      return new Failure('conflict', 'Gmail says that somebody else changed the same thing; look at it again', options)
    case 413:
      return new Failure('too_large', 'the message is larger than Gmail takes', options)
    default:
      return new Failure('rejected', 'Gmail refused to do that', options)
  }
}

function forbidden(refusal: Refusal, stage: string): Failure {
  const options = { cause: refusal, stage }
  if (API_IS_OFF.has(refusal.reason)) {
    const message = 'the Gmail API is not enabled for this OAuth client; enable it in the Google Cloud console'
    return new Failure('rejected', message, options)
  }
  return new Failure('auth_failed', 'the access that was granted does not permit that; grant a wider scope', options)
}

export function outcomeUnknown(stage: string, cause: unknown): Failure {
  const message = 'the change was sent to Gmail but no answer came back; look before doing it again'
  return new Failure('outcome_unknown', message, { cause, stage })
}

export function unreadable(cause?: unknown): Failure {
  return new Failure('unavailable', 'Gmail sent an answer that cannot be read; try again', { cause, stage: 'protocol' })
}

export function answerTooLarge(): Failure {
  return new Failure('too_large', 'Gmail sent more than is ever read of an answer', { stage: 'protocol' })
}

export function silence(milliseconds: number): Failure {
  const seconds = Math.round(milliseconds / 1000)
  return new Failure('timeout', `Gmail did not answer for ${seconds} s`, { stage: 'connection' })
}

/** Codes of failures that come before the first byte of a request leaves. */
const NEVER_LEFT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Gmail cannot be reached: the connection was refused',
  ENOTFOUND: 'Gmail cannot be reached: its host name is not known',
  EAI_AGAIN: 'Gmail cannot be reached: host names cannot be looked up for the moment',
  ENETUNREACH: 'Gmail cannot be reached: there is no network',
  EHOSTUNREACH: 'Gmail cannot be reached: there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'Gmail cannot be reached: the connection took too long',
}
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_TLS/

/** What `fetch` threw, where neither the caller nor our own clock ended it. */
export function networkFailure(error: unknown): Unanswered {
  const code = codeOf(error) ?? ''
  const options = { cause: error, stage: 'connection' }
  const reason = NEVER_LEFT[code]
  if (reason !== undefined) return new Unanswered(false, new Failure('unavailable', reason, options))
  if (CERTIFICATE.test(code)) {
    return new Unanswered(false, new Failure('tls_failed', "Gmail's certificate cannot be trusted", options))
  }
  return new Unanswered(true, new Failure('unavailable', 'the connection to Gmail was lost; try again', options))
}

function codeOf(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return codeOf(error.errors[0], depth + 1)
  return codeOf(error.cause, depth + 1)
}

/** Why a signal aborted, as the caller should hear it. */
export function abortFailure(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason
  if (reason instanceof Failure) return reason
  const timedOut = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (timedOut) return new Failure('timeout', 'Gmail did not answer in time', { cause: reason })
  return new Failure('cancelled', 'the call was cancelled', { cause: reason })
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortFailure(signal)
}

export function clientClosed(): Failure {
  return new Failure('unavailable', 'the mail account is being closed')
}
