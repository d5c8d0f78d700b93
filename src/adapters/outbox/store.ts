/**
 * The outbox in a SQLite file, opened when it is first needed.
 *
 * INVARIANT: what was acknowledged is on disk, in the file that others find there; what was not is not there. A claim is this
 * store's while it is open and its process lives; a store that only reads leaves no lock.
 */
import type { DatabaseFiles } from '../../ports/database-files.ts'
import type { FileLocks } from '../../ports/file-locks.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { Kept } from './entries-table.ts'
import { messageIsGone } from './failures.ts'
import { OutboxFile } from './outbox-file.ts'
import { claim, dispatch, expire, find, forget, giveBack, queue, record } from './steps.ts'

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
  const file = new OutboxFile({ path, locks, databases, keptSince: () => now() - KEPT_MS })
  const lives = (token: string): boolean => file.lives(token)
  const ownToken = (): string => file.ownToken()
  const write: OutboxFile['write'] = (work, undo) => file.write(work, undo)
  const read: OutboxFile['read'] = (work) => file.read(work)
  const isOurs = (token: string): boolean => file.isOwn(token) || !lives(token)

  return {
    queue: (entry, bytes, limit) => write((to) => queue(to, entry, bytes, limit)),
    find: (digest, when) => read((from) => find(from, digest, when)),
    held: (caller, when) => read(({ entries }) => entries.heldBy(caller, when)),
    unsent: (caller, account, when) => read(({ entries }) => entries.unsent(caller, account, when)),
    get: (id) => read(({ entries }) => entries.find(id)?.entry),
    bytes: (id) =>
      read(({ entries }) => {
        const bytes = entries.bytes(id)
        if (bytes === undefined) throw messageIsGone()
        return bytes
      }),
    list: ({ kinds, most }) => read(({ entries }) => entries.list(kinds, most)),
    record: (id, event) => write((to) => record(to, id, event, isOurs)),
    recordAll: (changes) => write((to) => changes.map(({ id, event }) => record(to, id, event, isOurs))),
    claim: (id, at, limit) => write((to) => claim(to, id, at, limit, ownToken()), giveBack),
    dispatch: (entry, bytes, approval, limit, pending) =>
      write((to) => dispatch(to, entry, bytes, approval, { limit, pending }, ownToken()), giveBack),
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
    close: () => file.close(),
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
