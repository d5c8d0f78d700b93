/**
 * Every way in which a sending can fail, in our words.
 *
 * INVARIANT: no secret is in any message or cause; what the server said stands only in a cause.
 */
import { Failure, type FailureCode } from '../../core/failure.ts'
import { described, type Facts, factsOf } from './facts.ts'

/** What stands in a cause passes through this first. */
export type Hide = (text: string) => string

/** It was certainly not accepted: `error` came before its end could have left, or is the server's own no. */
export function notSent(error: unknown, hide: Hide): Failure {
  if (error instanceof Failure) return error
  const facts = factsOf(error)
  const [code, message] = explain(facts)
  return new Failure(code, `${message}; it was not sent`, { cause: described(facts, hide), stage: 'send' })
}

/** Its end may have left, and no answer says what became of it. */
export function outcomeUnknown(error: unknown, hide: Hide): Failure {
  const message = 'the message was given to the mail server but no answer came back; look before sending it again'
  const cause = error instanceof Failure ? error : described(factsOf(error), hide)
  return new Failure('outcome_unknown', message, { cause, stage: 'send' })
}

/** The library's codes for a command that was answered, or that it would not send. */
const VERDICTS = new Set(['EMESSAGE', 'EENVELOPE'])

/** Whether it is the server's own whole answer, and a no. */
export function isRefusal(error: unknown): boolean {
  const { kind, answer = 0 } = factsOf(error)
  return VERDICTS.has(kind) && answer >= 400
}

/** Whether the connection was gone, or the server about to leave, without a word on the message. */
export function isLoss(error: unknown): boolean {
  const { kind, timeout, answer } = factsOf(error)
  if (error instanceof Failure || timeout !== '') return false
  return answer === 421 || !VERDICTS.has(kind)
}

/** Why a signal aborted, as the caller should hear it. */
export function abortFailure(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason
  if (reason instanceof Failure && (reason.code === 'timeout' || reason.code === 'cancelled')) return reason
  const timedOut = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (timedOut) return new Failure('timeout', 'the mail server did not answer in time', { cause: reason })
  return new Failure('cancelled', 'the call was cancelled', { cause: reason })
}

export function senderClosed(): Failure {
  return new Failure('unavailable', 'the mail account is being closed')
}

function explain(facts: Facts): [FailureCode, string] {
  const { kind, answer, command, timeout } = facts
  if (isTooLarge(facts)) return ['too_large', 'the message is larger than the mail server accepts']
  if (answer !== undefined && answer >= 500) return ['rejected', `the mail server refused ${refused(command)}`]
  if (answer !== undefined && answer >= 400) {
    return ['unavailable', `the mail server will not take ${refused(command)} for the moment; try again later`]
  }
  if (timeout !== '') return ['timeout', 'the mail server stopped answering']
  if (facts.answered || kind === 'EPROTOCOL' || kind === 'ESTREAM') {
    return ['unavailable', 'the mail server sent an answer that is none; the connection was closed']
  }
  return ['unavailable', 'the connection to the mail server was lost']
}

/** Either its own limit, known before, or its answer. */
function isTooLarge({ kind, command, answer, answered, enhanced }: Facts): boolean {
  if (kind === 'EMESSAGE' && command === 'MAIL FROM' && !answered) return true
  return answer !== undefined && answer >= 500 && (enhanced === '5.3.4' || (answer === 552 && command === 'MAIL FROM'))
}

function refused(command: string): string {
  if (command === 'MAIL FROM') return "the account's address as a sender"
  return command === 'RCPT TO' ? 'every recipient' : 'the message'
}
