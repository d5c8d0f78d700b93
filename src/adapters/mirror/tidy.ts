/**
 * Puts the index in order after much was written, so that a search looks in one place and not in many.
 *
 * INVARIANT: a little at a time: others may read and write in between, and whoever stops it halfway loses nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MirrorDatabase } from './database.ts'

/** Pages of the index, each a few kilobytes; some tens of milliseconds. */
const PAGES = 500
/** While an account is first read nothing is merged; afterwards little is written, and merged as it comes. */
const FROM_NOW_ON = [
  ['automerge', 8],
  ['crisismerge', 16],
] as const

export async function tidy(db: MirrorDatabase): Promise<void> {
  for (const [name, value] of FROM_NOW_ON) await db.patiently(() => db.write(() => set(db, name, value)))
  // A negative number begins to merge everything into one, a positive one goes on with that.
  for (let pages = -PAGES; ; pages = PAGES) {
    const before = changesIn(db)
    await db.patiently(() => db.write(() => set(db, 'merge', pages)))
    if (changesIn(db) - before < 2) break
    await nextTurn()
  }
  await db.patiently(() => db.script('pragma wal_checkpoint(truncate)'))
}

function set(db: MirrorDatabase, name: string, value: number): void {
  db.run('insert into words (words, rank) values (?, ?)', name, BigInt(value))
}

function changesIn(db: MirrorDatabase): number {
  return db.get<{ many: number }>('select total_changes() as many')?.many ?? 0
}
