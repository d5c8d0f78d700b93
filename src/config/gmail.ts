/**
 * Where Gmail's API is: at Google, or where `POSTERN_GMAIL_ENDPOINT` says, for tests and for proxies.
 *
 * INVARIANT: in the clear only on this machine, since every request carries an access token.
 */
import { isLoopback } from './hosts.ts'

export const GMAIL_VARIABLE = 'POSTERN_GMAIL_ENDPOINT'

/** `endpoint` is absent for Google's own. */
export type GmailEndpoint = { readonly ok: true; readonly endpoint?: URL } | { readonly ok: false }

export function readGmailEndpoint(env: Readonly<Record<string, string | undefined>>): GmailEndpoint {
  const text = env[GMAIL_VARIABLE]?.trim()
  if (!text) return { ok: true }
  const endpoint = URL.parse(text)
  return endpoint !== null && isUsable(endpoint) ? { ok: true, endpoint } : { ok: false }
}

function isUsable({ protocol, hostname, username, password, search, hash }: URL): boolean {
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isPrivate && hostname !== '' && `${username}${password}${search}${hash}` === ''
}
