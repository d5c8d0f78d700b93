/**
 * Errors as the page is told of them: `{ error: { code, message } }`.
 *
 * INVARIANT: a message is in our own words. A refusal does not say what was wrong with the key.
 */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Failure, FailureCode } from '../../core/failure.ts'
import type { Env } from './env.ts'

const STATUS: Readonly<Record<FailureCode, ContentfulStatusCode>> = {
  invalid_input: 400,
  not_found: 404,
  conflict: 409,
  auth_failed: 502,
  tls_failed: 502,
  timeout: 504,
  unavailable: 503,
  rejected: 409,
  unsupported: 422,
  too_large: 413,
  unreadable: 422,
  cancelled: 503,
  outcome_unknown: 502,
  internal: 500,
}

export function failed(c: Context<Env>, { code, message }: Pick<Failure, 'code' | 'message'>): Response {
  return c.json({ error: { code, message } }, STATUS[code])
}

export function noSession(c: Context<Env>, program: string): Response {
  const command = `"${program} console --link"`
  const message = `nobody is signed in here; ${command}, on the machine that runs Postern, prints a link that signs you in`
  return c.json({ error: { code: 'no_session', message } }, 401)
}

export function wrongLink(c: Context<Env>, program: string): Response {
  const message = `this link was used before, or is older than 10 minutes; "${program} console --link" prints a new one`
  return c.json({ error: { code: 'sign_in_failed', message } }, 401)
}

export function refused(c: Context<Env>): Response {
  const message = 'this request does not come from a page of this console; open the page again'
  return c.json({ error: { code: 'refused', message } }, 403)
}

export const NOT_FOUND = { error: { code: 'not_found', message: 'there is nothing at this address' } }

export function notFound(c: Context<Env>): Response {
  return c.json(NOT_FOUND, 404)
}
