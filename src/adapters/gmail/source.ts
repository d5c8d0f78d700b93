/**
 * A Gmail account as a mail source: its folders are its labels, and its uids are Postern's own.
 *
 * INVARIANT: reading changes nothing at Gmail. What the messages hold comes from their own bytes, by our own readers.
 */

import { messageMissing } from '../../core/absent.ts'
import type { GoogleMail } from '../../ports/google-mail.ts'
import type { MailSource } from '../../ports/mail-source.ts'
import type { NativeIds } from '../../ports/native-ids.ts'
import { Adding } from './adding.ts'
import type { GmailClient } from './client.ts'
import { find, settled } from './find.ts'
import { DELIMITER } from './labels.ts'
import { Listings } from './listings.ts'
import { Mailboxes } from './mailboxes.ts'
import { type LookedThrough, Messages } from './messages.ts'
import { Native } from './native.ts'
import { fieldsOf, partsOf, structureOf, tellsStart, wholeOf } from './record.ts'
import type { UidStore } from './uid-store.ts'
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

const NOTHING_READ = { header: [], headerCut: false, structure: undefined }
/** What an IMAP server of the same abilities would announce. */
const CAPABILITIES = ['MOVE', 'SPECIAL-USE', 'UIDPLUS']

export function createGmailSource(options: GmailOptions): MailSource & GoogleMail & NativeIds {
  const { client, uids } = options
  const { mailboxes = new Mailboxes(client, uids, () => performance.now()), messages = new Messages(client, uids) } =
    options
  const parts = { client, mailboxes, messages, uids, listings: new Listings(client) }
  const writing = new Writing(parts)
  const adding = new Adding(parts)
  const native = new Native(parts)

  type Place = Parameters<MailSource['raw']>[0]
  const whole = async <T>(at: Place, uid: number, signal: AbortSignal, make: (message: LookedThrough) => T) => {
    const [made] = await messages.whole(await mailboxes.seenAt(at, signal), [uid], signal, (message) => [make(message)])
    if (made === undefined) throw messageMissing(uid)
    return made[0] as T
  }

  return {
    probe: async (signal) => {
      await mailboxes.list(signal)
      return CAPABILITIES
    },
    mailboxes: (signal) => mailboxes.list(signal),
    delimiter: async () => DELIMITER,
    counts: (names, signal) => mailboxes.counts(names, signal),
    find: (mailbox, search, signal) => find(parts, mailbox, search, signal),
    traits: async (at, wantedUids, wanted, signal) => {
      const place = await mailboxes.seenAt(at, signal)
      if (wanted.fields.length === 0 && !wanted.structure) {
        const looked = await messages.list(place, wantedUids, signal)
        return looked.map(({ uid, received, flags, size }) => ({ ...{ uid, received, flags, size }, ...NOTHING_READ }))
      }
      return messages.records(place, wantedUids, signal, ({ uid, received, flags, record }) => ({
        ...{ uid, received, flags, size: record.size },
        ...fieldsOf(record, wanted),
        structure: wanted.structure ? structureOf(record) : undefined,
      }))
    },
    summaries: async (at, wantedUids, bodyStartBytes, signal) => {
      const place = await mailboxes.seenAt(at, signal)
      const short = await messages.records(place, wantedUids, signal, ({ uid, received, flags, record }) => ({
        ...{ uid, received, flags, size: record.size, header: record.header },
        bodyStart: bodyStartBytes > 0 ? record.beginning.subarray(0, bodyStartBytes) : undefined,
        isWhole: tellsStart(record, bodyStartBytes),
      }))
      const cut = short.flatMap(({ uid, isWhole }) => (isWhole ? [] : [uid]))
      const starts = new Map(
        await messages.whole(place, cut, signal, ({ uid, bytes, record: { bodyStart } }) => {
          return [uid, bytes.slice(bodyStart, bodyStart + bodyStartBytes)] as const
        }),
      )
      return short.map(({ isWhole: _, ...one }) => ({ ...one, bodyStart: starts.get(one.uid) ?? one.bodyStart }))
    },
    open: async (at, uid, signal) => {
      const place = await mailboxes.seenAt(at, signal)
      const { uidvalidity } = place
      const [opened] = await messages.records(place, [uid], signal, ({ received, flags, record }) => ({
        ...{ uidvalidity, uid, received, flags, size: record.size },
        ...{ header: record.header, headerCut: record.headerCut, structure: structureOf(record) },
      }))
      if (opened === undefined) throw messageMissing(uid)
      return opened
    },
    parts: (at, uid, wanted, signal) => whole(at, uid, signal, ({ bytes, record }) => partsOf(bytes, record, wanted)),
    raw: (at, uid, maxBytes, signal) =>
      whole(at, uid, signal, ({ bytes }) => ({ size: bytes.length, bytes: bytes.slice(0, maxBytes) })),
    flags: async (at, uid, signal) => (await messages.one(await mailboxes.seenAt(at, signal), uid, signal)).flags,

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
    rawMany: async (at, wantedUids, maxBytes, signal) =>
      messages.whole(await mailboxes.seenAt(at, signal), wantedUids, signal, ({ uid, bytes, flags, received }) =>
        wholeOf({ uid, bytes, flags, received }, maxBytes),
      ),
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
