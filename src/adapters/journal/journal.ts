/**
 * The journal of transfers in a SQLite file, opened when it is first needed.
 *
 * INVARIANT: what was acknowledged is on disk; what was not is not there. A claim is ours while this journal is open and
 * this process lives: closing gives back what is still claimed. Claiming again what is ours already is no mistake, so
 * whoever shares one journal within a process keeps apart who does what.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { FileLock, FileLocks } from '../../ports/file-locks.ts'
import type { Journal } from '../../ports/journal.ts'
import type { Log } from '../../ports/log.ts'
import { type Claims, claimsIn } from './claims.ts'
import { CommitLine } from './commit-line.ts'
import { openDatabase } from './database.ts'
import { isBusy, isClosed, journalFailure } from './failures.ts'
import { thisProcess } from './owner.ts'
import { holdOwnerLock, holdsLock } from './owner-lock.ts'
import { type TransfersTable, transfersTableIn } from './transfers-table.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 10

export interface JournalParts {
  readonly path: string
  /** For telling whether an owner lives. */
  readonly locks: FileLocks
  readonly log?: Log
}

interface Opened {
  readonly db: Database
  readonly transfers: TransfersTable
  readonly claims: Claims
  readonly lock: FileLock
}

export function createJournal({ path, locks, log }: JournalParts): Journal {
  let opened: Opened | undefined
  let closed = false
  const file = (): Opened => {
    opened ??= open(path, locks)
    return opened
  }
  const line = new CommitLine((work) => patiently(() => file().db.transaction(work).immediate()))

  const write = async <T>(work: (to: Opened) => T): Promise<T> => {
    if (closed) throw isClosed()
    return line.add(() => work(file()))
  }
  const read = async <T>(work: (from: TransfersTable) => T): Promise<T> => {
    if (closed) throw isClosed()
    try {
      return await patiently(() => work(file().transfers))
    } catch (error) {
      throw journalFailure(error)
    }
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
      await line.idle()
      await giveBack(opened, log)
      opened?.db.close()
      opened?.lock.release()
      opened = undefined
    },
  }
}

function open(path: string, locks: FileLocks): Opened {
  const db = openDatabase(path)
  const owner = thisProcess(randomUUID())
  try {
    const lock = holdOwnerLock(locks, path, owner.token)
    const claims = claimsIn(db, owner, (token) => holdsLock(locks, path, token))
    return { db, transfers: transfersTableIn(db, owner), claims, lock }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Where it fails, the claims end with the process. */
async function giveBack(opened: Opened | undefined, log: Log | undefined): Promise<void> {
  if (opened === undefined) return
  try {
    await patiently(() => opened.db.transaction(() => opened.claims.freeAll()).immediate())
  } catch (error) {
    log?.warn({ err: error }, 'transfers are claimed until this process ends')
  }
}

/** Work that found the file busy never began, so it may be tried again. */
async function patiently<T>(work: () => T): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await delay(PAUSE_MS)
  }
}
