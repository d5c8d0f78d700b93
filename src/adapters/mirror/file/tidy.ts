/**
 * Puts the index in order after much was written, so that a search looks in one place and not in many.
 *
 * INVARIANT: a little at a time: others may read and write in between, and whoever stops it halfway loses nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MirrorDatabase } from './database.ts'

/** Pages of the index, each a few kilobytes; some tens of milliseconds. */
const PAGES = 1000
/** While an account is first read little is merged, since all of it is in the end; afterwards little is written, and merged as it comes. */
const FROM_NOW_ON = [
  ['automerge', 8],
  ['crisismerge', 16],
] as const

export async function tidy(db: MirrorDatabase): Promise<void> {
  for (const [name, value] of FROM_NOW_ON) await db.patiently(() => db.write(() => set(db, name, value)))
  // A negative number begins to merge everything into one, a positive one goes on with that.
  await merge(db, -PAGES)
  await db.patiently(() => db.script('pragma wal_checkpoint(truncate)'))
}

/** Merges what was written lately, where that is in many places. */
export async function gather(db: MirrorDatabase): Promise<void> {
  await merge(db, PAGES)
}

async function merge(db: MirrorDatabase, first: number): Promise<void> {
  for (let pages = first; ; pages = PAGES) {
    const before = changesIn(db)
    await db.patiently(() => db.write(() => set(db, 'merge', pages)))
    if (changesIn(db) - before < 2) break
    await nextTurn()
  }
}

function set(db: MirrorDatabase, name: string, value: number): void {
  db.run('insert into words (words, rank) values (?, ?)', name, BigInt(value))
}

function changesIn(db: MirrorDatabase): number {
  return db.get<{ many: number }>('select total_changes() as many')?.many ?? 0
}
