/**
 * The journal of transfers in a SQLite file, opened when it is first needed.
 *
 * INVARIANT: what was acknowledged is on disk; what was not is not there. A claim is ours while this journal is open and
 * this process lives: closing gives back what is still claimed. Claiming again what is ours already is no mistake, so
 * whoever shares one journal within a process keeps apart who does what.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseFile, DatabaseFiles } from '../../ports/database-files.ts'
import type { FileLock, FileLocks } from '../../ports/file-locks.ts'
import type { Journal } from '../../ports/journal.ts'
import type { Log } from '../../ports/log.ts'
import { type Claims, claimsIn } from './claims.ts'
import { isClosed } from './failures.ts'
import { thisProcess } from './owner.ts'
import { holdOwnerLock, holdsLock } from './owner-lock.ts'
import { JOURNAL_FILE } from './schema.ts'
import { type TransfersTable, transfersTableIn } from './transfers-table.ts'

export interface JournalParts {
  readonly path: string
  /** For telling whether an owner lives. */
  readonly locks: FileLocks
  readonly databases: DatabaseFiles
  readonly log?: Log
}

interface Opened {
  readonly transfers: TransfersTable
  readonly claims: Claims
  readonly lock: FileLock
}

export function createJournal({ path, locks, databases, log }: JournalParts): Journal {
  const file = databases.file(path, JOURNAL_FILE)
  let opened: Opened | undefined
  let closed = false
  const ready = (): Opened => {
    opened ??= open(file, path, locks)
    return opened
  }
  const write = async <T>(work: (to: Opened) => T): Promise<T> => {
    if (closed) throw isClosed()
    return file.commit(() => work(ready()))
  }
  const read = async <T>(work: (from: TransfersTable) => T): Promise<T> => {
    if (closed) throw isClosed()
    return file.patiently(() => work(ready().transfers))
  }

  return {
    async begin(transfers) {
      if (transfers.length > 0) await write((to) => to.transfers.begin(transfers))
    },
    async record(steps) {
      if (steps.length > 0) await write((to) => to.transfers.record(steps))
    },
    get: (txId) => read((from) => from.get(txId)),
    unfinished: () => read((from) => from.unfinished()),
    stuck: () => read((from) => from.stuck()),
    arrivedIn: (destination, uidvalidity) => read((from) => from.arrivedIn(destination, uidvalidity)),
    list: (most) => read((from) => from.newest(most)),
    async claim(txIds) {
      if (txIds.length === 0) return []
      const { ours, inherited } = await write(({ claims }) => claims.take(txIds))
      if (inherited > 0) log?.info({ transfers: inherited }, 'took over transfers of a process that has ended')
      return ours
    },
    async release(txIds) {
      if (txIds.length > 0) await write(({ claims }) => claims.free(txIds))
    },
    async close() {
      if (closed) return
      closed = true
      await file.idle()
      if (opened !== undefined) await giveBack(file, opened.claims, log)
      file.close()
      opened?.lock.release()
      opened = undefined
    },
  }
}

function open(file: DatabaseFile, path: string, locks: FileLocks): Opened {
  const owner = thisProcess(randomUUID())
  const transfers = transfersTableIn(file, owner)
  const claims = claimsIn(file, owner, (token) => holdsLock(locks, path, token))
  return { transfers, claims, lock: holdOwnerLock(locks, path, owner.token) }
}

/** Where it fails, the claims end with the process. */
async function giveBack(file: DatabaseFile, claims: Claims, log: Log | undefined): Promise<void> {
  try {
    await file.commit(() => claims.freeAll())
  } catch (error) {
    log?.warn({ err: error }, 'transfers are claimed until this process ends')
  }
}
