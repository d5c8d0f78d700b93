/**
 * What can be learnt from whatever the library or the system threw.
 *
 * INVARIANT: `described` holds no secret, even where the server sends back what it was sent.
 */
import type { Credentials } from '../../ports/access.ts'
import { answerCode, enhancedCode } from './answer.ts'

export interface Facts {
  /** The library's own code, such as `EAUTH`. */
  readonly kind: string
  /** The system's code where there is one, such as `ECONNREFUSED`. */
  readonly code: string
  /** The command that it befell; `API` where it was never sent. */
  readonly command: string
  /** The code of the server's answer, where that was a whole one. */
  readonly answer: number | undefined
  readonly enhanced: string | undefined
  /** The server knows the account and does not let it send: no other password or token would change that. */
  readonly isSendingOff: boolean
  readonly answered: boolean
  readonly timeout: string
  readonly message: string
}

export function factsOf(error: unknown): Facts {
  const fields: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {}
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')
  const response = text('response') === '' ? undefined : text('response')
  return {
    kind: text('code'),
    code: text('originalCode') || text('code'),
    command: text('command'),
    answer: answerCode(response),
    enhanced: enhancedCode(response),
    isSendingOff: isSendingOff(response),
    answered: response !== undefined,
    timeout: text('timeoutType'),
    message: error instanceof Error ? error.message : String(error),
  }
}

/** Microsoft says 5.7.139 where SMTP AUTH is off for a mailbox or its organisation; seldom of wrong credentials, too. */
function isSendingOff(response = ''): boolean {
  return enhancedCode(response) === '5.7.139' && !/credentials were incorrect/i.test(response)
}

const MOST = 500

/** For the cause of a failure. */
export function described(facts: Facts, hide: (text: string) => string): Error {
  const text = [facts.code, facts.command, facts.message].filter((part) => part !== '').join(': ')
  return new Error(hide(text).slice(0, MOST))
}

/** Masks every form in which a secret travels. */
export function hiding(user: string, credentials: Credentials): (text: string) => string {
  const secret = credentials.kind === 'password' ? credentials.password : credentials.accessToken
  if (secret === '') return (text) => text
  const forms = [
    secret,
    Buffer.from(secret).toString('latin1'),
    ...[secret, `\0${user}\0${secret}`, bearer(user, secret)].map((form) => Buffer.from(form).toString('base64')),
  ]
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '***'), text)
}

/** What XOAUTH2 sends, before it is encoded. */
export function bearer(user: string, token: string): string {
  return `user=${user}\x01auth=Bearer ${token}\x01\x01`
}
