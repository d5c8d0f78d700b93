/**
 * A Gmail account as a mail source: its folders are its labels, and its uids are Postern's own.
 *
 * INVARIANT: reading changes nothing at Gmail. What the messages hold comes from their own bytes, by our own readers.
 */
import type { GoogleMail } from '../../ports/google-mail.ts'
import type { MailSource } from '../../ports/mail-source.ts'
import type { NativeIds } from '../../ports/native-ids.ts'
import { Adding } from './adding.ts'
import type { GmailClient } from './client/client.ts'
import { DELIMITER } from './labels.ts'
import { Mailboxes } from './mailboxes.ts'
import { Messages } from './messages.ts'
import { Native } from './native.ts'
import { Reading } from './reading.ts'
import { find, settled } from './search/find.ts'
import { Listings } from './search/listings.ts'
import type { UidStore } from './uids/store.ts'
import { Writing } from './writing.ts'

export interface GmailOptions {
  /** The account's; closed with the source. */
  readonly client: GmailClient
  /** The account's, perhaps shared with other processes; closed with the source. */
  readonly uids: UidStore
  /** Those of the account's feed, where what they remember is to be shared. */
  readonly mailboxes?: Mailboxes
  readonly messages?: Messages
}

/** What an IMAP server of the same abilities would announce. */
const CAPABILITIES = ['MOVE', 'SPECIAL-USE', 'UIDPLUS']

export function createGmailSource(options: GmailOptions): MailSource & GoogleMail & NativeIds {
  const { client, uids } = options
  const { mailboxes = new Mailboxes(client, uids, () => performance.now()), messages = new Messages(client, uids) } =
    options
  const parts = { client, mailboxes, messages, uids, listings: new Listings(client) }
  const reading = new Reading(parts)
  const writing = new Writing(parts)
  const adding = new Adding(parts)
  const native = new Native(parts)

  return {
    probe: async (signal) => {
      await mailboxes.list(signal)
      return CAPABILITIES
    },
    mailboxes: (signal) => mailboxes.list(signal),
    delimiter: async () => DELIMITER,
    counts: (names, signal) => mailboxes.counts(names, signal),
    find: (mailbox, search, signal) => find(parts, mailbox, search, signal),
    traits: (at, wantedUids, wanted, signal) => reading.traits(at, wantedUids, wanted, signal),
    summaries: (at, wantedUids, bodyStartBytes, signal) => reading.summaries(at, wantedUids, bodyStartBytes, signal),
    open: (at, uid, signal) => reading.open(at, uid, signal),
    parts: (at, uid, wanted, signal) => reading.parts(at, uid, wanted, signal),
    raw: (at, uid, maxBytes, signal) => reading.raw(at, uid, maxBytes, signal),
    flags: (at, uid, signal) => reading.flags(at, uid, signal),

    abilities: async () => ({ move: true, expungeByUid: true }),
    changeFlags: (at, uid, change, flags, signal) => writing.changeFlags(at, uid, change, flags, signal),
    copy: (at, uid, to, signal) => writing.copy(at, uid, to, signal),
    move: (at, uid, to, signal) => writing.move(at, uid, to, signal),
    expunge: (at, uid, signal) => writing.expunge(at, uid, signal),
    append: (to, message, signal) => adding.append(to, message, signal),

    fence: async (mailbox, signal) => {
      const { uidvalidity, uidNext } = await settled(parts, mailbox, signal)
      return { uidvalidity, uid: uidNext }
    },
    rawMany: (at, wantedUids, maxBytes, signal) => reading.rawMany(at, wantedUids, maxBytes, signal),
    appendEach: (to, batch, signal) => adding.appendEach(to, batch, signal),
    removeMany: (at, wantedUids, signal) => writing.removeMany(at, wantedUids, signal),

    identities: (at, wantedUids, signal) => native.identities(at, wantedUids, signal),
    swapLabel: (at, uid, to, signal) => writing.move(at, uid, to, signal),
    idsOf: (at, wantedUids, signal) => native.idsOf(at, wantedUids, signal),
    locate: (message, signal) => native.locate(message, signal),
    thread: (id, signal) => native.thread(id, signal),
    close: async () => {
      client.close()
      uids.close()
    },
  }
}
