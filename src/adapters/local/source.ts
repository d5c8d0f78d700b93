/**
 * Postern's own mailbox: a mail source in one SQLite file, which needs no network.
 *
 * INVARIANT: every call that changes something is one transaction, on disk when it resolves. Several processes may use
 * the file at once.
 */
import type { DatabaseFiles } from '../../ports/database-files.ts'
import type { LocalMailbox } from '../../ports/local-mailbox.ts'
import type { MailSource } from '../../ports/mail-source.ts'
import { inBatches } from './batches.ts'
import { Contents } from './contents.ts'
import { Entrance } from './entrance.ts'
import { Filler } from './filler.ts'
import { find } from './find.ts'
import { DELIMITER } from './mailbox-name.ts'
import { Mailboxes } from './mailboxes.ts'
import { Messages } from './messages.ts'
import { Reading } from './reading.ts'
import { MAILBOX_FILE } from './schema.ts'
import { Writing } from './writing.ts'

export interface LocalOptions {
  /** The SQLite file; made, with its directory, when it is not there. */
  readonly path: string
  /** Several accounts may live in one file. */
  readonly account: string
  readonly databases: DatabaseFiles
  readonly now?: () => number
}

/** What an IMAP server of the same abilities would announce. */
const CAPABILITIES = ['MOVE', 'SPECIAL-USE', 'UIDPLUS']
const NEVER = new AbortController().signal

export function createLocalSource(options: LocalOptions): MailSource & LocalMailbox {
  const { path, account, databases, now = Date.now } = options
  const db = databases.file(path, MAILBOX_FILE)
  const mailboxes = new Mailboxes(db, account, now)
  const contents = new Contents(db)
  const messages = new Messages(db, mailboxes, contents)
  const reading = new Reading(contents)
  const writing = new Writing({ db, mailboxes, contents, messages, now })
  const filler = new Filler({ db, mailboxes, contents, messages, account, now })
  const entrance = new Entrance({ db, mailboxes, messages })
  const enter = <T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> => entrance.enter(signal, work)

  return {
    probe: (signal) => enter(signal, () => CAPABILITIES),
    mailboxes: (signal) => enter(signal, () => mailboxes.list()),
    delimiter: (signal) => enter(signal, () => DELIMITER),
    counts: (names, signal) => enter(signal, () => db.read(() => names.map((name) => mailboxes.count(name)))),
    find: (mailbox, search, signal) => enter(signal, () => find(db, mailboxes.get(mailbox), search, signal)),
    summaries: (at, uids, bodyStartBytes, signal) =>
      entrance.lookAtMany(at, uids, signal, (message) => reading.summary(message, bodyStartBytes)),
    traits: (at, uids, wanted, signal) =>
      inBatches(uids, signal, (batch) =>
        entrance.lookAtMany(at, batch, signal, (message) => reading.traits(message, wanted)),
      ),
    open: (at, uid, signal) =>
      entrance.look(at, uid, signal, (message, { uidvalidity }) => reading.opened(message, uidvalidity)),
    parts: (at, uid, wanted, signal) => entrance.look(at, uid, signal, (message) => reading.parts(message, wanted)),
    raw: (at, uid, maxBytes, signal) => entrance.look(at, uid, signal, (message) => reading.raw(message, maxBytes)),
    flags: (at, uid, signal) => entrance.look(at, uid, signal, ({ flags }) => flags),

    abilities: (signal) => enter(signal, () => ({ move: true, expungeByUid: true })),
    changeFlags: (at, uid, change, flags, signal) => enter(signal, () => writing.changeFlags(at, uid, change, flags)),
    copy: (at, uid, to, signal) => enter(signal, () => writing.copy(at, uid, to)),
    move: (at, uid, to, signal) => enter(signal, () => writing.move(at, uid, to)),
    expunge: (at, uid, signal) => enter(signal, () => writing.expunge(at, uid)),
    append: (to, message, signal) => enter(signal, () => writing.append(to, message)),

    fence: (mailbox, signal) =>
      enter(signal, () => {
        const { uidvalidity, uidnext } = mailboxes.get(mailbox)
        return { uidvalidity, uid: uidnext }
      }),
    rawMany: (at, uids, maxBytes, signal) =>
      inBatches(uids, signal, (batch) =>
        entrance.lookAtMany(at, batch, signal, (message) => reading.whole(message, maxBytes)),
      ),
    appendEach: (to, batch, signal) => enter(signal, () => writing.appendEach(to, batch)),
    removeMany: (at, uids, signal) =>
      enter(signal, () => {
        writing.removeMany(at, uids)
        return 'expunged'
      }),

    createMailbox: (name, role) => enter(NEVER, () => void mailboxes.create(name, role)),
    appendMany: (batch, bookmark, signal) => enter(signal, () => filler.appendMany(batch, bookmark)),
    bookmark: (source) => enter(NEVER, () => filler.bookmark(source)),
    forgetBookmark: (source) => enter(NEVER, () => filler.forgetBookmark(source)),
    close: async () => db.close(),
  }
}
