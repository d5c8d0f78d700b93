/** What the adapter must be told of an account that sends. */
import type { Access } from '../../ports/access.ts'

export interface SmtpOptions {
  /** The account's id, for messages and the log. */
  readonly account: string
  readonly host: string
  readonly port: number
  /** `starttls` is mandatory where given; `none` is cleartext even where the server offers better. */
  readonly tls: 'implicit' | 'starttls' | 'none'
  /** A certificate authority to trust beside the usual ones, PEM. */
  readonly ca?: string
  readonly user: string
  /** Asked for every connection. */
  readonly access: Access
  readonly connectTimeoutMs?: number
  readonly greetingTimeoutMs?: number
  /** How long the server may be silent while an answer is due. */
  readonly socketTimeoutMs?: number
  readonly maxConnections?: number
  /** How long an unused connection is kept. */
  readonly idleCloseMs?: number
}

export const DEFAULTS = {
  connectTimeoutMs: 30_000,
  greetingTimeoutMs: 15_000,
  // A server may look for long at what it was given before it accepts it.
  socketTimeoutMs: 300_000,
  // As many as Microsoft takes of one mailbox; with one more each of them is refused. Opened only while several letters leave at once.
  maxConnections: 3,
  idleCloseMs: 10_000,
} as const
