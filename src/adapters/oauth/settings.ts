/**
 * What the adapter must be told of a provider, and where it may be reached.
 *
 * INVARIANT: nothing is sent to an address that is neither https nor on this machine.
 */
import { Failure } from '../../core/failure.ts'

export interface OAuthSettings {
  readonly provider: 'google' | 'microsoft' | 'generic'
  readonly clientId: string
  /** A "secret" that is part of an installed program is none, but some providers want it. */
  readonly clientSecret?: string
  /** Where the provider describes itself; read where an address below is absent. */
  readonly issuer?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  /** The port the browser is sent back to; any free one when absent. */
  readonly redirectPort?: number
  /** How long one request may take. */
  readonly requestTimeoutMs?: number
}

export const REQUEST_TIMEOUT_MS = 30_000

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname)
}

/** `name` is the setting, for the message. */
export function safeUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (url === undefined || !safe || url.username !== '' || url.password !== '' || url.hash !== '') {
    const want = 'must be an https address (http only on this machine), without user, password or fragment'
    throw new Failure('invalid_input', `the provider's ${name} ${want}`, { stage: 'credentials' })
  }
  return url
}
