/**
 * Every way in which a mail server can say no, in our words.
 *
 * INVARIANT: no secret is in any message or cause; what the server said stands only in a cause.
 */
import { ABSENT_DESTINATION, ABSENT_MAILBOX } from '../../core/absent.ts'
import { Failure, type FailureOptions } from '../../core/failure.ts'
import { knownResponseCode, reasonOf } from '../../core/response-codes.ts'
import type { StatusResponse } from './wire/value.ts'

/** The server broke the rules of IMAP. Its connection is not used again. */
export function protocolFailure(what: string, cause?: unknown): Failure {
  return new Failure(
    'unavailable',
    `the mail server sent ${what}; the connection was closed`,
    options(cause, 'protocol'),
  )
}

/** An answer longer than what was asked for could be. It is not read to its end, so its connection is not used again. */
export class Overlong extends Failure {
  constructor(what: string) {
    super('unavailable', `the mail server sent ${what}; the connection was closed`, { stage: 'protocol' })
  }
}

/** A connection was lost while commands were under way. Never leaves the adapter: whoever ran them judges it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly failure: Failure
  /** Whether any byte of an answer had arrived. */
  readonly heard: boolean
  /** Whether some command had left completely, so that it may have been carried out. */
  readonly sent: boolean
  /** How far each command had come, in their order. Empty where none had begun to leave. */
  readonly progress: readonly Progress[]

  constructor(failure: Failure, state: InterruptedState = { heard: false, sent: false, progress: [] }) {
    super(failure.message, { cause: failure })
    this.failure = failure
    this.heard = state.heard
    this.sent = state.sent
    this.progress = state.progress
  }
}

export type InterruptedState = Pick<Interrupted, 'heard' | 'sent' | 'progress'>

export interface Progress {
  /** Whether any byte of it may have left. */
  readonly begun: boolean
  readonly answer: StatusResponse | undefined
}

export function connectionLost(cause?: unknown): Failure {
  return new Failure('unavailable', 'the connection to the mail server was lost', options(cause, 'connection'))
}

export function silence(milliseconds: number): Failure {
  return new Failure('timeout', `the mail server did not answer for ${seconds(milliseconds)}`, { stage: 'connection' })
}

export function sourceClosed(): Failure {
  return new Failure('unavailable', 'the mail account is being closed')
}

/** Why a signal aborted, as the caller should hear it. */
export function abortFailure(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason
  if (reason instanceof Failure && (reason.code === 'timeout' || reason.code === 'cancelled')) return reason
  const timedOut = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (timedOut) return new Failure('timeout', 'the mail server did not answer in time', { cause: reason })
  return new Failure('cancelled', 'the call was cancelled', { cause: reason })
}

export function outcomeUnknown(stage: string, cause: unknown): Failure {
  const message = 'the change was sent to the mail server but no answer came back; look before doing it again'
  return new Failure('outcome_unknown', message, { cause, stage })
}

/** Exchange accepts a login before it knows whether there is a mailbox to go with it, and then says this to every command. */
const NOT_CONNECTED = /User is authenticated but not connected/i
const NO_MAILBOX = 'the mail server accepts the login and then refuses the account; check its user name and its rights'

/** What a tagged NO or BAD means, where the command itself has nothing more precise to say. */
export function refused(stage: string, { status, code, text }: StatusResponse): Failure {
  const cause = new Error(`${status} ${code === undefined ? '' : `[${code.name}] `}${text}`.slice(0, 500))
  const about = { cause, stage, responseCode: knownResponseCode(code?.name) }
  if (NOT_CONNECTED.test(text)) return new Failure('auth_failed', NO_MAILBOX, about)
  if (status === 'NO' && (code?.name === 'TRYCREATE' || code?.name === 'NONEXISTENT')) {
    return mailboxMissing(stage, cause, about.responseCode)
  }
  const why = reasonOf(code?.name) ?? 'the mail server refused to do that'
  const unavailable = code?.name === 'UNAVAILABLE' || code?.name === 'INUSE' || code?.name === 'SERVERBUG'
  return new Failure(unavailable ? 'unavailable' : 'rejected', why, about)
}

/** The stages at which the mailbox in question is the one that a message goes to. */
const INTO = new Set(['copy', 'move', 'append'])

export function mailboxMissing(stage: string, cause?: unknown, responseCode?: string): Failure {
  const message = INTO.has(stage) ? ABSENT_DESTINATION : ABSENT_MAILBOX
  return new Failure('not_found', message, { ...options(cause, stage), responseCode })
}

export function staleUidvalidity(expected: number, actual: number): Failure {
  const message = `the mailbox was rebuilt on the server: its uidvalidity is ${actual}, not ${expected}; search again`
  return new Failure('conflict', message, { stage: 'select', details: { expected, actual } })
}

export function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`
}

function options(cause: unknown, stage: string): FailureOptions {
  return cause === undefined ? { stage } : { cause, stage }
}
