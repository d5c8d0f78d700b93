/** What the adapter must be told of an account. */
import type { Access } from '../../../ports/access.ts'

export interface ImapOptions {
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
  /** How long the server may take for each message that it is given to store; bytes that it sends meanwhile buy no time. */
  readonly appendTimeoutMs?: number
  readonly maxConnections?: number
  /** How long an unused connection is kept. */
  readonly idleCloseMs?: number
  /** How long one IDLE is left running, and how often a server without IDLE is asked, while a mailbox is watched. */
  readonly idleRenewMs?: number
  readonly watchPollMs?: number
  /** Our own version, told to servers that ask who we are. */
  readonly clientVersion?: string
}

export const DEFAULTS = {
  connectTimeoutMs: 30_000,
  greetingTimeoutMs: 15_000,
  socketTimeoutMs: 300_000,
  maxConnections: 3,
  idleCloseMs: 120_000,
  idleRenewMs: 1_500_000,
  watchPollMs: 30_000,
} as const
