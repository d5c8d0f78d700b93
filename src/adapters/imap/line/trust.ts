/**
 * Whose certificates an account accepts.
 *
 * INVARIANT: certificates and host names are always verified.
 */
import * as tls from 'node:tls'
import type { ImapOptions } from './options.ts'

/** Over a hundred authorities are parsed for each: so once for an account, and not for every connection. */
const contexts = new WeakMap<ImapOptions, tls.SecureContext>()

export function trust(options: ImapOptions): tls.ConnectionOptions {
  const secureContext = options.ca === undefined ? undefined : (contexts.get(options) ?? made(options, options.ca))
  return { rejectUnauthorized: true, ...(secureContext !== undefined && { secureContext }) }
}

/** What Node trusts by itself: an account's own authority comes beside it, not in its place. */
function made(options: ImapOptions, ca: string): tls.SecureContext {
  const usual = typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
  const context = tls.createSecureContext({ ca: [...usual, ca] })
  contexts.set(options, context)
  return context
}
