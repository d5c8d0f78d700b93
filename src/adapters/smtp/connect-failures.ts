/** Why a connection could not be opened, in words that say what to do. */
import { Failure, type FailureCode } from '../../core/failure.ts'
import type { Credentials } from '../../ports/access.ts'
import { described, type Facts, factsOf } from './facts.ts'
import type { Hide } from './failures.ts'
import { DEFAULTS, type SmtpOptions } from './options.ts'

const CERTIFICATE_CODES = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED', 'CERT_SIGNATURE_FAILURE'],
])

/** `error` is whatever the system or the library threw until the login began. */
export function connectFailure(error: unknown, options: SmtpOptions, hide: Hide): Failure {
  if (error instanceof Failure) return error
  const facts = factsOf(error)
  const [code, message] = explain(facts, options)
  return new Failure(code, message, { cause: described(facts, hide), stage: 'connect' })
}

/** `error` is whatever the library threw while it logged in. */
export function loginFailure(error: unknown, options: SmtpOptions, credentials: Credentials, hide: Hide): Failure {
  if (error instanceof Failure) return error
  const facts = factsOf(error)
  const [code, message] = explainLogin(facts, options, credentials)
  const details = facts.isSendingOff ? { details: { reason: 'smtp_auth_disabled' } } : {}
  return new Failure(code, message, { cause: described(facts, hide), stage: 'connect', ...details })
}

/** Whether it was what the account logs in with that the server would not have. */
export function isRefusedLogin(error: unknown): boolean {
  const { kind, answer = 0, isSendingOff } = factsOf(error)
  // Up to 504 it is the command that a server does not know.
  return kind === 'EAUTH' && answer > 504 && !isSendingOff
}

export function unsafeLine({ host, port }: SmtpOptions): Failure {
  return new Failure('tls_failed', `the line to ${host}:${port} is not safe, and nothing is sent`, { stage: 'connect' })
}

export function noLogin({ host, port, account }: SmtpOptions): Failure {
  const message = `${host}:${port} offers no login to account ${account}; check host, port and TLS`
  return new Failure('auth_failed', message, { stage: 'connect' })
}

function explain(facts: Facts, options: SmtpOptions): [FailureCode, string] {
  const where = `${options.host}:${options.port}`
  const { code, kind, answer = 0, timeout } = facts
  if (answer >= 500 && kind !== 'ETLS') return ['rejected', `${where} does not accept connections from here`]
  if (answer >= 400 && answer < 500) return ['unavailable', `${where} is not available for the moment; try again later`]
  if (CERTIFICATE_CODES.has(code)) {
    return [
      'tls_failed',
      `the certificate of ${where} is not trusted; name its own certificate authority, if it has one`,
    ]
  }
  if (code === 'CERT_HAS_EXPIRED') return ['tls_failed', `the certificate of ${where} has expired`]
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return ['tls_failed', `the certificate of ${where} is for another host name; check the account's SMTP host`]
  }
  if (timeout !== '' || code === 'ETIMEDOUT') return explainTimeout(where, timeout, options)
  const isBrokenTls = code === 'EPROTO' || code.startsWith('ERR_SSL')
  // Closed in the middle of it is a network that fails; a no to the command is a server that will not.
  if (isBrokenTls || (kind === 'ETLS' && facts.command === 'STARTTLS')) return explainTls(where, options)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return ['unavailable', `the host ${options.host} was not found`]
  if (code === 'ECONNREFUSED') return ['unavailable', `${where} refused the connection; check host and port`]
  if (facts.answered || kind === 'EPROTOCOL') return ['unavailable', `${where} does not speak SMTP; check the port`]
  return ['unavailable', `the connection to ${where} was lost during login`]
}

function explainTimeout(where: string, timeout: string, options: SmtpOptions): ['timeout', string] {
  if (timeout === 'GREETING_TIMEOUT') {
    const hint = options.tls === 'implicit' ? '' : '; perhaps the port expects TLS from the start'
    return ['timeout', `${where} accepted the connection but said nothing${hint}`]
  }
  if (timeout === 'SOCKET_TIMEOUT' || timeout === 'UPGRADE_TIMEOUT') {
    return ['timeout', `${where} stopped answering during login`]
  }
  const seconds = (options.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs) / 1000
  return ['timeout', `${where} could not be reached within ${Math.round(seconds * 10) / 10} s`]
}

function explainTls(where: string, options: SmtpOptions): ['tls_failed', string] {
  if (options.tls === 'starttls') {
    return ['tls_failed', `${where} does not offer STARTTLS that works, and nothing is sent without; use its TLS port`]
  }
  return ['tls_failed', `${where} does not speak TLS as expected; check the port and whether it wants STARTTLS`]
}

function explainLogin(facts: Facts, options: SmtpOptions, credentials: Credentials): [FailureCode, string] {
  const { kind, answer, command } = facts
  const { account } = options
  const what = credentials.kind === 'password' ? 'the user name or password' : 'the access token'
  if (kind !== 'EAUTH') return explain(facts, options)
  if (command === 'API') return ['auth_failed', `${what} of account ${account} is empty`]
  if (answer === undefined)
    return ['unavailable', `${options.host}:${options.port} answered the login with what is none`]
  if (answer < 500) return ['unavailable', `the mail server cannot log in account ${account} for the moment`]
  if (answer <= 504) return ['unsupported', `the mail server knows no way to log in that account ${account} has`]
  if (facts.isSendingOff) return ['auth_failed', `${sendingOff(account)}; ${SENDING_OFF_CURE}`]
  const hint =
    facts.enhanced === '5.7.3' ? `; if reading works, SMTP AUTH may be switched off: ${SENDING_OFF_CURE}` : ''
  return ['auth_failed', `the sending server (SMTP) refused ${what} of account ${account}${hint}`]
}

function sendingOff(account: string): string {
  return `SMTP AUTH is switched off for the mailbox of account ${account} or for its whole organisation, so it cannot send; reading is not affected`
}

/** Microsoft's names for it, in the admin center and in Exchange Online PowerShell. */
const SENDING_OFF_CURE =
  'an administrator turns on "Authenticated SMTP" for the mailbox (Set-CASMailbox -SmtpClientAuthenticationDisabled $false); ' +
  'the setting SmtpClientAuthenticationDisabled of the organisation (Set-TransportConfig) and security defaults can forbid it for all'
