/**
 * The outbox in a SQLite file, opened when it is first needed.
 *
 * INVARIANT: what was acknowledged is on disk; what was not is not there. A claim is this store's while it is open and its
 * process lives; a store that only reads leaves no lock.
 */
import type { Database } from 'better-sqlite3'
import type { FileLocks } from '../../ports/file-locks.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import { attemptsTableIn } from './attempts-table.ts'
import { CommitLine } from './commit-line.ts'
import { openDatabase } from './database.ts'
import { entriesTableIn, type Kept } from './entries-table.ts'
import { fileFailure, isClosed, messageIsGone, OUTBOX_WORDS } from './failures.ts'
import { LogFlush } from './log-flush.ts'
import { holdOwnerLock, isAlive, type OwnerLock, tidyLocks } from './owner-lock.ts'
import { patiently } from './patience.ts'
import { OUTBOX_FILE } from './schema.ts'
import { claim, dispatch, expire, findOpen, forget, queue, record, type Tables } from './steps.ts'

/** What is over is kept so long. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

export interface OutboxStoreParts {
  readonly path: string
  /** For telling whether whoever has claimed a letter lives. */
  readonly locks: FileLocks
  /** The system's clock unless a test brings another; it only says what is old. */
  readonly now?: () => number
}

interface Opened extends Tables {
  readonly db: Database
  readonly log: LogFlush
}

export function createOutboxStore({ path, locks, now = Date.now }: OutboxStoreParts): OutboxStore {
  let opened: Opened | undefined
  let owner: OwnerLock | undefined
  let closed = false
  const file = (): Opened => {
    opened ??= open({ path, locks, now })
    return opened
  }
  const ownToken = (): string => {
    owner ??= holdOwnerLock(locks, path)
    return owner.token
  }
  const lives = (token: string): boolean => token === owner?.token || isAlive(locks, path, token)
  const line = new CommitLine({
    whole: (work) => patiently(() => file().db.transaction(work).immediate()),
    part: (work) => file().db.transaction(work)(),
    flush: () => file().log.flush(),
  })

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) throw isClosed(OUTBOX_WORDS)
    try {
      return await work()
    } catch (error) {
      throw fileFailure(error, OUTBOX_WORDS)
    }
  }
  const write = <T>(work: (to: Opened) => T): Promise<T> => guarded(() => line.add(() => work(file())))
  const read = <T>(work: (from: Opened) => T): Promise<T> => guarded(() => patiently(() => work(file())))

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
    claim: (id, at, limit) => write((to) => claim(to, id, at, limit, ownToken())),
    dispatch: (entry, bytes, approval, limit) => write((to) => dispatch(to, entry, bytes, approval, limit, ownToken())),
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
      await line.idle()
      opened?.log.close()
      opened?.db.close()
      opened = undefined
      owner?.release()
      owner = undefined
    },
  }
}

function open({ path, locks, now }: Required<OutboxStoreParts>): Opened {
  const db = openDatabase(path, OUTBOX_FILE)
  try {
    tidyLocks(locks, path)
    const entries = entriesTableIn(db)
    const before = now() - KEPT_MS
    if (entries.hasEnded(before)) db.transaction(() => entries.prune(before)).immediate()
    return { db, log: new LogFlush(path), entries, attempts: attemptsTableIn(db) }
  } catch (error) {
    db.close()
    throw error
  }
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
