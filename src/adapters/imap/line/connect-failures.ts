/**
 * Why a connection could not be opened, in words that say what to do.
 *
 * INVARIANT: the cause holds no secret, even where the server sends back what it was sent.
 */
import { Failure } from '../../../core/failure.ts'
import { knownResponseCode } from '../../../core/response-codes.ts'
import type { Credentials } from '../../../ports/access.ts'
import { seconds } from '../failures.ts'
import { DEFAULTS, type ImapOptions } from './options.ts'

const CERTIFICATE_CODES = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED', 'CERT_SIGNATURE_FAILURE'],
])
const BUSY_CODES = new Set(['UNAVAILABLE', 'LIMIT', 'INUSE', 'CONTACTADMIN'])
/** Some servers have no code for it. */
const FULL = /too many (simultaneous |concurrent )?connections|maximum number of connections/i
const MAX_CAUSE = 500

/** `error` is whatever imapflow threw. */
export function connectFailure(error: unknown, options: ImapOptions, credentials: Credentials): Failure {
  const facts = factsOf(error)
  const [code, message] = explain(facts, options, credentials)
  const cause = new Error(withoutSecrets(describe(facts), options.user, credentials).slice(0, MAX_CAUSE))
  return new Failure(code, message, { cause, stage: 'connect', responseCode: knownResponseCode(facts.serverCode) })
}

export function unaskedLogin({ host, port }: ImapOptions): Failure {
  const message = `${host}:${port} says that we are logged in before it has asked who we are; it is not trusted`
  return new Failure('auth_failed', message, { stage: 'connect' })
}

interface Facts {
  readonly message: string
  readonly code: string
  readonly refusedLogin: boolean
  readonly tlsFailed: boolean
  readonly serverCode: string
  readonly serverText: string
}

function factsOf(error: unknown): Facts {
  const fields: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {}
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')
  const answered = text('responseStatus') !== ''
  // imapflow marks every failure during login so, a lost connection too.
  const refusedLogin = fields['authenticationFailed'] === true && (answered || text('code') === '')
  return {
    message: error instanceof Error ? error.message : String(error),
    code: text('code'),
    refusedLogin,
    tlsFailed: fields['tlsFailed'] === true,
    serverCode: text('serverResponseCode').toUpperCase(),
    serverText: text('responseText') || text('response'),
  }
}

function explain(
  facts: Facts,
  options: ImapOptions,
  credentials: Credentials,
): [code: 'auth_failed' | 'tls_failed' | 'unavailable' | 'timeout', message: string] {
  const where = `${options.host}:${options.port}`
  if (facts.refusedLogin) return explainLogin(facts, options, credentials)
  if (CERTIFICATE_CODES.has(facts.code)) {
    const cure = 'if it has its own certificate authority, set MAIL_IMAP_CA_CERT_PATH to that authority in PEM form'
    return ['tls_failed', `the certificate of ${where} is not trusted; ${cure}`]
  }
  if (facts.code === 'CERT_HAS_EXPIRED') return ['tls_failed', `the certificate of ${where} has expired`]
  if (facts.code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return ['tls_failed', `the certificate of ${where} is for another host name; check the account's host`]
  }
  if (facts.code === 'CONNECT_TIMEOUT' || facts.code === 'ETIMEDOUT') {
    return [
      'timeout',
      `${where} could not be reached within ${seconds(options.connectTimeoutMs ?? DEFAULTS.connectTimeoutMs)}`,
    ]
  }
  if (facts.code === 'GREETING_TIMEOUT') {
    const hint = options.tls === 'implicit' ? '' : '; perhaps the port expects TLS from the start'
    return ['timeout', `${where} accepted the connection but said nothing${hint}`]
  }
  if (facts.code === 'ETIMEOUT' || facts.code === 'UPGRADE_TIMEOUT')
    return ['timeout', `${where} stopped answering during login`]
  if (facts.tlsFailed || facts.code === 'EPROTO' || facts.code.startsWith('ERR_SSL')) return explainTls(where, options)
  if (facts.code === 'ENOTFOUND' || facts.code === 'EAI_AGAIN')
    return ['unavailable', `the host ${options.host} was not found`]
  if (facts.code === 'ECONNREFUSED') return ['unavailable', `${where} refused the connection; check host and port`]
  return ['unavailable', `the connection to ${where} was lost during login`]
}

function explainTls(where: string, options: ImapOptions): ['tls_failed', string] {
  if (options.tls === 'starttls') {
    return ['tls_failed', `${where} does not offer STARTTLS that works, and nothing is sent without; use its TLS port`]
  }
  return ['tls_failed', `${where} does not speak TLS as expected; check the port and whether it wants STARTTLS`]
}

function explainLogin(
  facts: Facts,
  { account }: ImapOptions,
  { kind }: Credentials,
): ['auth_failed' | 'unavailable', string] {
  if (BUSY_CODES.has(facts.serverCode) || FULL.test(facts.serverText)) {
    return ['unavailable', `the mail server cannot log in account ${account} for the moment`]
  }
  const what = kind === 'password' ? 'the user name or password' : 'the access token'
  return ['auth_failed', `the server refused ${what} of account ${account}`]
}

function describe({ code, serverCode, serverText, message }: Facts): string {
  return [code, serverCode, message, serverText].filter((part) => part !== '').join(': ')
}

/** The text with every form in which a secret travels masked. */
function withoutSecrets(text: string, user: string, credentials: Credentials): string {
  const secret = credentials.kind === 'password' ? credentials.password : credentials.accessToken
  if (secret === '') return text
  const forms = [
    ...spellings(secret),
    base64(secret),
    base64(`\0${user}\0${secret}`),
    base64(`user=${user}\x01auth=Bearer ${secret}\x01\x01`),
  ]
  return forms.reduce((masked, form) => masked.replaceAll(form, '***'), text)
}

/** As it is, as a quoted string escapes it, and both as the library shows bytes: one character each. */
function spellings(secret: string): string[] {
  const plain = [secret, secret.replace(/["\\]/g, '\\$&')]
  return [...plain, ...plain.map((text) => Buffer.from(text).toString('latin1'))]
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
