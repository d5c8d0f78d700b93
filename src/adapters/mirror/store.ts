/**
 * The mirror of one account in a SQLite file.
 *
 * INVARIANT: every call that changes something is one transaction under the lease; whatever fails leaves as a `Failure`, but
 * for bugs.
 */
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFiles } from '../../ports/database-files.ts'
import type { FileLocks } from '../../ports/file-locks.ts'
import type { MirrorReading, MirrorStore } from '../../ports/mirror-store.ts'
import { MirrorFile } from './file/mirror-file.ts'
import { findFolder, folderRows, mirrored } from './folders.ts'
import { notedMailboxes } from './listing.ts'
import { partialOf, snippetsOf, summariesOf, threadOf, traitsOf, uidsOf } from './reading.ts'
import { find } from './search/find.ts'
import { countLevels, sift } from './search/sift.ts'
import { writingOf } from './writing.ts'

export interface MirrorStoreParts {
  readonly path: string
  readonly clock: Pick<Clock, 'now'>
  /** For the lease. */
  readonly locks: FileLocks
  readonly databases: DatabaseFiles
  /** Called once a damaged file was set aside, and a new one begins. Without it such a file stays, and is `unreadable`. */
  onDamaged?(): void
}

export function createMirrorStore({ path, clock, locks, databases, onDamaged }: MirrorStoreParts): MirrorStore {
  const file = new MirrorFile(path, locks, databases, onDamaged)
  return {
    ...readingOf(file),
    ...writingOf(file, clock),
    forget: () => file.remove(),
    close: async () => file.close(),
  }
}

function readingOf(file: MirrorFile): MirrorReading {
  const { db } = file
  return {
    mailboxes: () => file.read(() => notedMailboxes(db)),
    async folders() {
      file.lookAgain()
      return file.read(() => folderRows(db).map(mirrored))
    },
    async folder(mailbox) {
      file.lookAgain()
      // A single question needs no transaction, and every answer begins with this one.
      return file.asked(() => {
        const row = findFolder(db, mailbox)
        return row && mirrored(row)
      })
    },
    uids: (mailbox) => file.read(() => uidsOf(db, mailbox)),
    find: (mailbox, search) => file.read(() => find(db, mailbox, search)),
    sift: (mailboxes, asked) => file.asked(() => sift(db, file.verdicts, mailboxes, asked)),
    countLevels: (mailbox, rules, now) => file.asked(() => countLevels(db, file.verdicts, mailbox, rules, now)),
    traits: (at, uids, fields) => file.read(() => traitsOf(db, at, uids, fields)),
    summaries: (at, uids) => file.read(() => summariesOf(db, at, uids)),
    snippets: (at, uids) => file.read(() => snippetsOf(db, at, uids)),
    partial: (at) => file.read(() => partialOf(db, at)),
    thread: (threadId) => file.read(() => threadOf(db, threadId)),
  }
}
