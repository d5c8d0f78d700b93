/** What changes a mirror. */
import type { Clock } from '../../ports/clock.ts'
import type { MirrorWriting } from '../../ports/mirror-store.ts'
import type { MirrorFile } from './file/mirror-file.ts'
import { gather, tidy } from './file/tidy.ts'
import { addFolder, findFolder, folderNamed, folderRows, setState } from './folders.ts'
import { indexMessages } from './indexing.ts'
import { noteMailboxes } from './listing.ts'
import { unindexed } from './reading.ts'
import { addRows, changeFlags, removeFolder, removeRows, removeUnused, SETS } from './rows.ts'
import { clearWords } from './word-index.ts'

/** So many batches of words lie beside each other, each in a place of its own, before they are merged. */
const GATHERED = 250

export function writingOf(file: MirrorFile, clock: Pick<Clock, 'now'>): MirrorWriting {
  const { db, sets } = file
  let batches = 0
  return {
    async lease() {
      if (!(await file.takeLease())) return undefined
      return { release: async () => file.releaseLease() }
    },
    remake: (mailbox, state) =>
      file.write(() => {
        const known = findFolder(db, mailbox)
        if (known !== undefined) removeFolder(db, known)
        addFolder(db, mailbox, state, clock.now())
        if (known !== undefined && known.indexed > 0) removeUnusedSets(file)
      }),
    async clear() {
      await file.write(() => {
        for (const folder of folderRows(db)) removeFolder(db, folder)
        db.run('delete from removed')
        removeUnusedSets(file)
        clearWords(db)
      })
      await db.patiently(() => db.script('vacuum'))
      await db.patiently(() => db.script('pragma wal_checkpoint(truncate)'))
    },
    noteMailboxes: (mailboxes) => file.write(() => noteMailboxes(db, mailboxes)),
    drop: (mailboxes) =>
      file.write(() => {
        const known = mailboxes.flatMap((mailbox) => findFolder(db, mailbox) ?? [])
        for (const folder of known) removeFolder(db, folder)
        if (known.some(({ indexed }) => indexed > 0)) removeUnusedSets(file)
      }),
    fill: (mailbox, rows, downTo) =>
      file.write(() => {
        const folder = folderNamed(db, mailbox)
        addRows(db, folder, rows)
        db.run('update folder set filled_down_to = min(filled_down_to, ?) where id = ?', downTo, folder.id)
      }),
    apply: (mailbox, { state, flags, gone, arrived }) =>
      file.write(() => {
        const folder = folderNamed(db, mailbox)
        removeRows(db, folder, gone)
        addRows(db, folder, arrived)
        changeFlags(db, folder, flags)
        setState(db, folder, state, clock.now())
      }),
    unread: (mailbox, most) => file.read(() => unindexed(db, mailbox, most)),
    async index(mailbox, texts, depth, authservId) {
      await file.write(() => indexMessages(db, sets, folderNamed(db, mailbox), texts, depth, authservId))
      batches += 1
      if (batches % GATHERED === 0) await gather(db)
    },
    async tidy() {
      // One at a time, so that others can write in between.
      for (const set of SETS) await file.write(() => removeUnusedSet(file, set))
      await tidy(db)
    },
  }
}

function removeUnusedSets(file: MirrorFile): void {
  for (const set of SETS) removeUnusedSet(file, set)
}

function removeUnusedSet({ db, sets }: MirrorFile, set: (typeof SETS)[number]): void {
  removeUnused(db, set)
  sets.forget()
}
