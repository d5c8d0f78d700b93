/** What the outbox works with. */
import type { HtmlReview } from '../../core/outbox/html-review.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OutboxStore, SendLimit } from '../../ports/outbox-store.ts'
import type { ReadNotes } from '../../ports/read-notes.ts'
import type { Vault } from '../../ports/vault.ts'
import type { Accounts } from '../accounts/accounts.ts'

export interface OutboxParts {
  readonly accounts: Accounts
  readonly store: OutboxStore
  readonly vault: Vault
  readonly notes: ReadNotes
  readonly clock: Clock
  readonly audit: AuditLog
  readonly log: Log
  /** Whether nothing may leave: everything is only noted. */
  readonly devMode: boolean
  /** SHA-256 in hex; a text counts as its UTF-8. */
  digest(content: string | Uint8Array): string
  newId(): string
  /** What stands in the HTML of a message, with what its recipients will not see marked. */
  review(html: string, signal: AbortSignal): Promise<HtmlReview>
  /** The HTML without hidden text, pictures, styles and whatever is fetched or run. */
  safeHtml(html: string, signal: AbortSignal): Promise<string>
  /** Of each account, in any stretch of time of that length. */
  readonly limit?: SendLimit
  /** What certainly did not leave is tried again so much later. */
  readonly backOffMs?: readonly number[]
}

export const SEND_LIMIT: SendLimit = { most: 10, lengthMs: 60 * 60 * 1000 }
