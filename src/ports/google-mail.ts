/**
 * What a Google account can do beyond IMAP: its folders are labels, and one message may have several.
 *
 * Promises: `swapLabel` adds the new label before it takes the old one away, so that the message is in sight at every
 * moment; one that fails between the two leaves both. Otherwise the promises of `MailSource` hold here too.
 */
import type { GoogleIdentity } from '../core/results.ts'
import type { MailboxAt, Placed } from './mail-source.ts'

export interface GoogleMail {
  /** Which messages these are, whatever label they were found under, for the uids that are still there. */
  identities(at: MailboxAt, uids: readonly number[], signal: AbortSignal): Promise<readonly GoogleIdentity[]>
  /** Takes a message out of one label and puts it under another. */
  swapLabel(at: MailboxAt, uid: number, to: string, signal: AbortSignal): Promise<Placed | undefined>
}
