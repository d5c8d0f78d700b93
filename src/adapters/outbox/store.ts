/**
 * The outbox in a SQLite file, opened when it is first needed.
 *
 * INVARIANT: what was acknowledged is on disk, in the file that others find there; what was not is not there. A claim is this
 * store's while it is open and its process lives; a store that only reads leaves no lock.
 */
import type { DatabaseFile, DatabaseFiles } from '../../ports/database-files.ts'
import type { FileLocks } from '../../ports/file-locks.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import { attemptsTableIn } from './attempts-table.ts'
import { entriesTableIn, type Kept } from './entries-table.ts'
import { isClosed, messageIsGone, OUTBOX_WORDS } from './failures.ts'
import { holdOwnerLock, isAlive, type OwnerLock, tidyLocks } from './owner-lock.ts'
import { OUTBOX_FILE } from './schema.ts'
import { claim, dispatch, expire, findOpen, forget, giveBack, queue, record, type Tables } from './steps.ts'

/** What is over is kept so long. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

export interface OutboxStoreParts {
  readonly path: string
  /** For telling whether whoever has claimed a letter lives. */
  readonly locks: FileLocks
  readonly databases: DatabaseFiles
  /** The system's clock unless a test brings another; it only says what is old. */
  readonly now?: () => number
}

export function createOutboxStore({ path, locks, databases, now = Date.now }: OutboxStoreParts): OutboxStore {
  const file = databases.file(path, OUTBOX_FILE)
  let tables: Tables | undefined
  let owner: OwnerLock | undefined
  let isTidied = false
  let closed = false
  const ready = (): Tables => {
    tables ??= tablesIn(file, () => tidyLocks(locks, path))
    return tables
  }
  /** What is over for long goes, once. */
  const tidied = (to: Tables): Tables => {
    if (isTidied) return to
    isTidied = true
    const before = now() - KEPT_MS
    if (to.entries.hasEnded(before)) file.write(() => to.entries.prune(before))
    return to
  }
  const ownToken = (): string => {
    owner ??= holdOwnerLock(locks, path)
    return owner.token
  }
  const lives = (token: string): boolean => token === owner?.token || isAlive(locks, path, token)
  /** The lock may have gone with the file, and nobody can find what was claimed in it. */
  const look = (): void => {
    if (closed) throw isClosed(OUTBOX_WORDS)
    if (!file.shutIfReplaced()) return
    owner?.release()
    owner = undefined
  }
  const write = async <T>(work: (to: Tables) => T, undo?: (to: Tables, done: T) => void): Promise<T> => {
    look()
    return file.commit(() => work(tidied(ready())), undo && ((done) => undo(ready(), done)))
  }
  const read = async <T>(work: (from: Tables) => T): Promise<T> => {
    look()
    return file.patiently(() => {
      const from = ready()
      try {
        tidied(from)
      } catch {
        // A full disk, or somebody who writes: both can be read, and what is over goes another time.
      }
      return work(from)
    })
  }

  return {
    queue: (entry, bytes) => write((to) => queue(to, entry, bytes)),
    find: (digest, when) => read((from) => findOpen(from, digest, when)),
    get: (id) => read(({ entries }) => entries.find(id)?.entry),
    bytes: (id) =>
      read(({ entries }) => {
        const bytes = entries.bytes(id)
        if (bytes === undefined) throw messageIsGone()
        return bytes
      }),
    list: ({ kinds, most }) => read(({ entries }) => entries.list(kinds, most)),
    record: (id, event) => write((to) => record(to, id, event, (token) => token === owner?.token || !lives(token))),
    claim: (id, at, limit) => write((to) => claim(to, id, at, limit, ownToken()), giveBack),
    dispatch: (entry, bytes, approval, limit) =>
      write((to) => dispatch(to, entry, bytes, approval, limit, ownToken()), giveBack),
    orphans: () =>
      read(({ entries }) =>
        entries
          .claimed()
          .filter(isOfTheDead(lives))
          .map(({ entry }) => entry),
      ),
    async expire(when) {
      const isAny = await read(({ entries }) => entries.overdue(when).length > 0)
      return isAny ? write((to) => expire(to, when)) : []
    },
    writtenTo: (account, addresses) => read(({ attempts }) => attempts.writtenTo(account, addresses)),
    forget: (account) => write((to) => forget(to, account)),
    async close() {
      if (closed) return
      closed = true
      await file.idle()
      file.close()
      owner?.release()
      owner = undefined
    },
  }
}

/** Locks are tidied once the file is there, so that its directory is. */
function tablesIn(file: DatabaseFile, tidy: () => void): Tables {
  const entries = entriesTableIn(file)
  tidy()
  return { entries, attempts: attemptsTableIn(file) }
}

/** Each owner is looked at once, however many claims it has. */
function isOfTheDead(lives: (token: string) => boolean): (kept: Kept) => boolean {
  const known = new Map<string, boolean>()
  return ({ owner = '' }) => {
    const alive = known.get(owner) ?? lives(owner)
    known.set(owner, alive)
    return !alive
  }
}
