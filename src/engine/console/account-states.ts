/**
 * How each account is doing.
 *
 * INVARIANT: looking opens no connection and makes no file; only `reconnect` goes to a server.
 */
import { consoleEvent } from '../../core/audit/console-events.ts'
import { Failure } from '../../core/failure.ts'
import { writeLineOut } from '../../core/outbox/written-out.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { Account, Accounts, Connections } from '../accounts/accounts.ts'
import type { Who } from './letters.ts'

export interface AccountState {
  readonly id: string
  readonly address?: string
  readonly provider: string
  readonly state: 'connected' | 'not_connected' | 'no_server' | 'needs_consent'
  readonly host: string
  readonly connections?: Connections
  readonly mirror?: MirrorState
  readonly canSend: boolean
  /** Why the last message could not be sent, where the next one could not, either. */
  readonly sendingProblem?: string
}

export interface MirrorState {
  readonly depth: 'headers' | 'full' | 'unknown'
  readonly folders: number
  readonly messages: number
  readonly indexed: number
  /** Why it cannot be read. */
  readonly problem?: string
  readonly sync?: { readonly mailbox: string; readonly done: number; readonly total: number; readonly rate: number }
}

export interface AccountStates {
  list(): Promise<readonly AccountState[]>
  /** Logs in anew where need be; a failure says why not. */
  reconnect(id: string, who: Who, signal: AbortSignal): Promise<AccountState>
}

export interface AccountStatesParts {
  readonly accounts: Accounts
  readonly audit: Pick<AuditLog, 'append'>
  readonly clock: Clock
  /** Whether anything is kept of an account on this machine. */
  isKept(account: string): Promise<boolean>
}

export function createAccountStates(parts: AccountStatesParts): AccountStates {
  const { accounts, audit, clock } = parts
  return {
    list: () => accounts.reading((book) => Promise.all(book.list().map((account) => stateOf(account, parts)))),
    reconnect: (id, who, signal) =>
      accounts.reading(async (book) => {
        const account = book.find(id)
        if (account === undefined) throw new Failure('not_found', 'there is no such account', { stage: 'console' })
        const ts = new Date(clock.now()).toISOString()
        await audit.append(consoleEvent(ts, 'console_reconnect', who.name, who.address, { account: id }))
        await account.source.probe(signal)
        return stateOf(account, parts)
      }),
  }
}

/** What of this changes without a file being written: for whoever watches. */
export function stampOf(accounts: Accounts): string {
  return accounts.current
    .list()
    .map(({ id, connections, mirror, sendingProblem }) =>
      JSON.stringify([id, connections?.(), mirror?.progress?.(), sendingProblem?.()]),
    )
    .join('\n')
}

async function stateOf(account: Account, parts: AccountStatesParts): Promise<AccountState> {
  const { id, address, provider, host, sender } = account
  const connections = account.connections?.()
  const mirror = await mirrorState(account, parts)
  const sendingProblem = account.sendingProblem?.()
  return {
    id,
    ...(address !== undefined && { address }),
    provider,
    state: await standingOf(account, connections),
    host,
    ...(connections !== undefined && { connections }),
    ...(mirror !== undefined && { mirror }),
    canSend: sender !== undefined,
    ...(sendingProblem !== undefined && { sendingProblem }),
  }
}

async function standingOf(account: Account, connections: Connections | undefined): Promise<AccountState['state']> {
  if (account.connections === undefined && account.provider === 'local') return 'no_server'
  const standing = await account.standing?.().catch(unlessFailed)
  if (standing?.state === 'needs_rebootstrap') return 'needs_consent'
  return connections !== undefined && connections.open + connections.watching > 0 ? 'connected' : 'not_connected'
}

function unlessFailed(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

async function mirrorState({ id, mirror }: Account, parts: AccountStatesParts): Promise<MirrorState | undefined> {
  if (mirror === undefined) return undefined
  const sync = mirror.progress?.()
  const under = sync && {
    sync: {
      mailbox: writeLineOut(sync.mailbox),
      done: sync.done,
      total: sync.total,
      rate: Math.round(sync.perSecond ?? 0),
    },
  }
  const { depth = 'unknown' } = mirror
  if (!(await parts.isKept(id))) return { depth, folders: 0, messages: 0, indexed: 0, ...under }
  try {
    const folders = await mirror.store.folders()
    return { depth, ...sumsOf(folders), ...under }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { depth, folders: 0, messages: 0, indexed: 0, problem: error.message, ...under }
  }
}

function sumsOf(folders: readonly MirroredFolder[]): Pick<MirrorState, 'folders' | 'messages' | 'indexed'> {
  const sum = (of: 'kept' | 'indexed'): number => folders.reduce((total, folder) => total + folder[of], 0)
  return { folders: folders.length, messages: sum('kept'), indexed: sum('indexed') }
}
