/**
 * What the provider, the network and the library say, in our words.
 *
 * INVARIANT: a cause holds codes only: an answer of the provider may repeat any token it was sent.
 */
import * as oauth from 'oauth4webapi'
import { Failure } from '../../core/failure.ts'

const STAGE = 'credentials'
/** The grant is over, and only a person can renew it. */
const OVER = new Set(['invalid_grant', 'interaction_required', 'consent_required', 'login_required'])
const CLIENT_WRONG = new Set(['invalid_client', 'unauthorized_client'])
const PASSING = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])
const TOO_MANY = 429

/** A body larger than any answer of a token endpoint. */
export class AnswerTooLarge extends Error {}

export function isOver(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError && OVER.has(error.error)
}

/** `error` is whatever the library, `fetch` or our own reading threw. */
export function endpointFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const cause = new Error(facts(error))
  const failure = (code: Failure['code'], message: string): Failure =>
    new Failure(code, message, { cause, stage: STAGE })
  if (isNamed(error, 'TimeoutError')) return failure('timeout', 'the OAuth provider did not answer in time')
  if (isNamed(error, 'AbortError')) return failure('cancelled', 'asking the OAuth provider was given up')
  if (error instanceof oauth.ResponseBodyError) return answeredWithError(error, failure)
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return error.status >= 500 ? failure('unavailable', AWAY) : failure('auth_failed', WRONG_CLIENT)
  }
  if (error instanceof AnswerTooLarge) return failure('unavailable', 'the OAuth provider sent far too long an answer')
  if (isAway(error)) return failure('unavailable', AWAY)
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return failure('unavailable', 'the OAuth provider gave an answer that makes no sense; check its addresses')
  }
  // `fetch` says nothing else, whatever the network did.
  if (error instanceof TypeError && (networkCode(error) !== undefined || error.message === 'fetch failed')) {
    return failure('unavailable', 'the OAuth provider could not be reached')
  }
  throw error
}

export function unusableToken(): Failure {
  return new Failure('unavailable', 'the OAuth provider gave a token that no mail server could take', { stage: STAGE })
}

const AWAY = 'the OAuth provider cannot answer for the moment'
const WRONG_CLIENT =
  'the OAuth provider does not accept our client; check IMAP_MCP_OAUTH_CLIENT_ID and IMAP_MCP_OAUTH_CLIENT_SECRET'

function answeredWithError(
  { error, status }: oauth.ResponseBodyError,
  failure: (code: Failure['code'], message: string) => Failure,
): Failure {
  if (OVER.has(error)) {
    return failure('auth_failed', 'the OAuth provider did not accept the code; it may have been used or have expired')
  }
  if (CLIENT_WRONG.has(error)) return failure('auth_failed', WRONG_CLIENT)
  if (PASSING.has(error) || status >= 500 || status === TOO_MANY) return failure('unavailable', AWAY)
  if (error === 'invalid_scope')
    return failure('rejected', "the OAuth provider does not know the account's oauth_scope")
  return failure('rejected', 'the OAuth provider did not accept the request; check the client and its settings')
}

const IN_THE_BROWSER: Readonly<Record<string, string>> = {
  access_denied: 'access was not granted: somebody said no in the browser',
  invalid_scope: "the provider does not know the account's oauth_scope",
  unauthorized_client: 'the provider does not let this client ask; check how it is registered',
  unsupported_response_type: 'the provider does not let this client ask; check how it is registered',
  temporarily_unavailable: 'the provider cannot answer for the moment; try again later',
  server_error: 'the provider cannot answer for the moment; try again later',
}

/** `code` came through a browser: it is looked up, never shown. */
export function refusedInBrowser(code: string): Failure {
  const message = IN_THE_BROWSER[code] ?? 'the provider ended the request in the browser with an error'
  return new Failure('rejected', message, { stage: STAGE })
}

export function notOurAnswer(): Failure {
  const message = 'this is not the answer to the address shown here; start again and use the newest one'
  return new Failure('rejected', message, { stage: STAGE })
}

export function wrongIssuer(): Failure {
  const message = 'the answer names another provider than the one that was asked; it is not used'
  return new Failure('rejected', message, { stage: STAGE })
}

function facts(error: unknown): string {
  const parts = [error instanceof Error ? error.name : 'error', codeOf(error), networkCode(error)]
  if (error instanceof oauth.ResponseBodyError) parts.push(plainCode(error.error), `HTTP ${error.status}`)
  if (error instanceof oauth.WWWAuthenticateChallengeError) parts.push(`HTTP ${error.status}`)
  return parts.filter((part) => part !== undefined).join(' ')
}

function plainCode(text: string): string | undefined {
  return /^[a-z_]{1,40}$/.test(text) ? text : undefined
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function networkCode(error: unknown): string | undefined {
  return error instanceof Error ? codeOf(error.cause) : undefined
}

/** An answer that is no OAuth answer at all, from something that is overloaded or broken. */
function isAway(error: unknown): boolean {
  if (!(error instanceof oauth.OperationProcessingError) || !(error.cause instanceof Response)) return false
  return error.cause.status >= 500 || error.cause.status === TOO_MANY
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
