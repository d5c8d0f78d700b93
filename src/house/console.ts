/**
 * The console on a data directory, for servers and for `postern console` alike.
 *
 * INVARIANT: opening it reads and makes nothing; that happens with the first request.
 */
import { existsSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { createAuditReader } from '../adapters/audit/reader.ts'
import { createChanges } from '../adapters/changes/changes.ts'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { createPageFiles } from '../adapters/console-files/page-files.ts'
import { createConsoleKeys } from '../adapters/console-keys/key-files.ts'
import { announceConsole } from '../adapters/console-keys/places.ts'
import { mirrorPath } from '../adapters/mirror/file/path.ts'
import { DAY_MS } from '../core/audit/day.ts'
import type { Accounts } from '../engine/accounts/accounts.ts'
import { createAccountStates, stampOf } from '../engine/console/account-states.ts'
import { createActivity } from '../engine/console/activity.ts'
import { type ChainWatch, watchChain } from '../engine/console/chain-watch.ts'
import { type ConsoleDesk, createAccess, type Household } from '../engine/console/desk.ts'
import { createLetters } from '../engine/console/letters.ts'
import { createLock } from '../engine/console/lock.ts'
import { createTransferStates } from '../engine/console/transfer-states.ts'
import type { OutboxDesk } from '../engine/outbox/desk.ts'
import type { Transfers } from '../engine/transfer/transfers.ts'
import type { AuditLog } from '../ports/audit-log.ts'
import type { Changes } from '../ports/changes.ts'
import type { ContentReader } from '../ports/content-reader.ts'
import type { Log } from '../ports/log.ts'
import { openConsoleDoor, type ServedConsole } from '../surfaces/console/console.ts'
import { hasMirror } from './mirrors.ts'
import { programsIn } from './program-words.ts'

export interface ConsoleFurnishings {
  /** Where state lives. */
  readonly directory: string
  readonly accounts: Accounts
  readonly audit: AuditLog
  readonly auditDirectory: string
  readonly content: ContentReader
  readonly log: Log
  /** The journal of moves between accounts. */
  readonly journal: string
  readonly outbox: OutboxDesk
  readonly transfers: Transfers
  readonly household: Household
  readonly devMode: boolean
  readonly version: string
}

export function openConsole(furnishings: ConsoleFurnishings): ServedConsole {
  const { directory, log } = furnishings
  const onBug = (err: unknown): void => log.error({ err }, 'something unexpected happened')
  const door = openConsoleDoor({ desk: consoleDesk(furnishings), onBug })
  let leave = (): void => undefined
  return {
    ...door,
    announce(origin) {
      leave = announceConsole(directory, origin)
    },
    close() {
      leave()
      door.close()
    },
  }
}

/** Beside the bundle, or where it is built to. */
const PAGE_FOLDERS = [join(import.meta.dirname, 'console'), join(import.meta.dirname, '../dist/console')]

export function consoleDesk(furnishings: ConsoleFurnishings): ConsoleDesk {
  const { directory, accounts, audit, log, journal, transfers, household, devMode, version } = furnishings
  const clock = systemClock
  const reader = createAuditReader({ directory: furnishings.auditDirectory, keyDirectory: directory })
  const keys = createConsoleKeys({ directory })
  const chain = watchChain(reader, clock)
  return {
    about: { version, devMode, host: hostname(), ...programsIn(directory) },
    lock: createLock({ keys, audit, clock, log, user: userInfo().username }),
    letters: createLetters(furnishings.outbox),
    activity: createActivity(reader, chain),
    access: createAccess(household, accounts, clock),
    accounts: createAccountStates({ accounts, audit, clock, isKept: (id) => hasMirror(directory, id) }),
    transfers: createTransferStates({ transfers, audit, clock, isKept: () => existsSync(journal) }),
    changes: changesIn(furnishings, chain),
    files: createPageFiles(PAGE_FOLDERS),
  }
}

function changesIn(
  { directory, accounts, auditDirectory, journal }: ConsoleFurnishings,
  chain: Pick<ChainWatch, 'stamp'>,
): Changes {
  const database = (path: string): readonly string[] => [path, `${path}-wal`]
  const mirrors = (): readonly string[] =>
    accounts.current.list().flatMap(({ id }) => database(mirrorPath(join(directory, 'mirror'), id)))
  return createChanges([
    { kind: 'outbox', files: () => database(join(directory, 'outbox.db')) },
    { kind: 'activity', files: () => dayFiles(auditDirectory), stamp: chain.stamp },
    { kind: 'transfers', files: () => database(journal) },
    { kind: 'accounts', files: mirrors, stamp: () => stampOf(accounts) },
  ])
}

/** Around midnight the last record of a day is written in the next one. */
function dayFiles(directory: string): readonly string[] {
  const now = systemClock.now()
  return [now - DAY_MS, now].map((at) => join(directory, `${new Date(at).toISOString().slice(0, 10)}.jsonl`))
}
