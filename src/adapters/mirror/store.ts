/**
 * The mirror of one account in a SQLite file.
 *
 * INVARIANT: every call that changes something is one transaction under the lease; whatever fails leaves as a `Failure`, but
 * for bugs.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Lease, MirrorStore } from '../../ports/mirror-store.ts'
import { MirrorDatabase } from './database.ts'
import { find } from './find.ts'
import { addFolder, findFolder, folderNamed, folderRows, mirrored, setState } from './folders.ts'
import { indexMessages } from './indexing.ts'
import { freeLease, requireLease, takeLease } from './lease.ts'
import { notedMailboxes, noteMailboxes } from './listing.ts'
import { thisProcess } from './owner.ts'
import { patiently } from './patience.ts'
import { snippetsOf, summariesOf, threadOf, traitsOf, uidsOf, unindexed } from './reading.ts'
import { addRows, changeFlags, removeFolder, removeRows, removeUnused, SETS } from './rows.ts'
import { Sets } from './sets.ts'
import { countLevels, sift } from './sift.ts'
import { tidy } from './tidy.ts'
import { Verdicts } from './verdicts.ts'
import { clearWords } from './word-index.ts'

export interface MirrorStoreParts {
  readonly path: string
  readonly clock: Pick<Clock, 'now'>
}

export function createMirrorStore({ path, clock }: MirrorStoreParts): MirrorStore {
  const db = new MirrorDatabase(path)
  const owner = thisProcess(randomUUID())
  const sets = new Sets(db)
  let verdicts = new Verdicts(db)

  const read = <T>(work: () => T): Promise<T> => patiently(() => db.read(work))
  const write = async (work: () => void): Promise<void> => {
    try {
      await patiently(() =>
        db.write(() => {
          requireLease(db, owner)
          work()
        }),
      )
    } catch (error) {
      sets.forget()
      throw error
    }
  }
  let leased = false
  const release = async (): Promise<void> => {
    if (!leased) return
    leased = false
    await patiently(() => db.write(() => freeLease(db, owner)))
  }

  /** Every answer begins with a look at a folder: then is the time to notice that the file is another one. */
  function lookAgain(): void {
    if (!db.shutIfReplaced()) return
    leased = false
    sets.forget()
    verdicts = new Verdicts(db)
  }

  return {
    async lease(): Promise<Lease | undefined> {
      lookAgain()
      // Others may have written since it was last ours.
      sets.forget()
      leased = await patiently(() => db.write(() => takeLease(db, owner)))
      return leased ? { release } : undefined
    },
    remake: (mailbox, state) =>
      write(() => {
        const known = findFolder(db, mailbox)
        if (known !== undefined) removeFolder(db, known)
        addFolder(db, mailbox, state, clock.now())
        if (known !== undefined && known.indexed > 0) removeUnusedSets()
      }),
    clear: async () => {
      await write(() => {
        for (const folder of folderRows(db)) removeFolder(db, folder)
        removeUnusedSets()
        clearWords(db)
      })
      await patiently(() => db.script('vacuum'))
      await patiently(() => db.script('pragma wal_checkpoint(truncate)'))
    },
    noteMailboxes: (mailboxes) => write(() => noteMailboxes(db, mailboxes)),
    drop: (mailboxes) =>
      write(() => {
        const known = mailboxes.flatMap((mailbox) => findFolder(db, mailbox) ?? [])
        for (const folder of known) removeFolder(db, folder)
        if (known.some(({ indexed }) => indexed > 0)) removeUnusedSets()
      }),
    fill: (mailbox, rows, downTo) =>
      write(() => {
        const folder = folderNamed(db, mailbox)
        addRows(db, folder, rows)
        db.run('update folder set filled_down_to = min(filled_down_to, ?) where id = ?', downTo, folder.id)
      }),
    apply: (mailbox, { state, flags, gone, arrived }) =>
      write(() => {
        const folder = folderNamed(db, mailbox)
        removeRows(db, folder, gone)
        addRows(db, folder, arrived)
        changeFlags(db, folder, flags)
        setState(db, folder, state, clock.now())
      }),
    unread: (mailbox, most) => read(() => unindexed(db, mailbox, most)),
    index: (mailbox, texts, depth, authservId) =>
      write(() => indexMessages(db, sets, folderNamed(db, mailbox), texts, depth, authservId)),
    tidy: async () => {
      for (const set of SETS) await write(() => removeUnusedSet(set))
      await tidy(db)
    },

    mailboxes: () => read(() => notedMailboxes(db)),
    folders: async () => {
      lookAgain()
      return read(() => folderRows(db).map(mirrored))
    },
    folder: async (mailbox) => {
      lookAgain()
      return read(() => {
        const row = findFolder(db, mailbox)
        return row && mirrored(row)
      })
    },
    uids: (mailbox) => read(() => uidsOf(db, mailbox)),
    find: (mailbox, search) => read(() => find(db, mailbox, search)),
    sift: (mailboxes, asked) => patiently(() => sift(db, verdicts, mailboxes, asked)),
    countLevels: (mailbox, rules, now) => patiently(() => countLevels(db, verdicts, mailbox, rules, now)),
    traits: (at, uids, fields) => read(() => traitsOf(db, at, uids, fields)),
    summaries: (at, uids) => read(() => summariesOf(db, at, uids)),
    snippets: (at, uids) => read(() => snippetsOf(db, at, uids)),
    thread: (threadId) => read(() => threadOf(db, threadId)),

    forget: () =>
      patiently(() => {
        db.remove()
        leased = false
        sets.forget()
        verdicts = new Verdicts(db)
      }),
    close: async () => {
      try {
        await release()
      } finally {
        db.close()
      }
    },
  }

  function removeUnusedSets(): void {
    for (const set of SETS) removeUnusedSet(set)
  }

  function removeUnusedSet(set: (typeof SETS)[number]): void {
    removeUnused(db, set)
    sets.forget()
  }
}
