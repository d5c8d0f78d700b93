/**
 * How this process is doing, for whoever looks for a fault.
 *
 * INVARIANT: opens no connection and makes no file. Speaks only of accounts that the caller sees.
 */
import { Failure } from '../core/failure.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Account, AccountBook } from '../engine/accounts/accounts.ts'
import { hasMirror } from './mirrors.ts'

type Report = Record<string, unknown>

export interface HealthParts {
  /** Where state lives. */
  readonly directory: string
  readonly accounts: AccountBook
  /** How many were answered. */
  readonly requests: number
}

export async function healthFor(policy: Policy, { directory, accounts, requests }: HealthParts): Promise<Report> {
  const { rss, heapUsed } = process.memoryUsage()
  const seen = accounts.list().filter(({ id }) => policy.sees(id))
  return {
    uptime_seconds: Math.round(process.uptime() * 10) / 10,
    requests,
    memory: { rss_bytes: rss, heap_used_bytes: heapUsed },
    accounts: await Promise.all(seen.map((account) => accountReport(account, directory, policy))),
  }
}

async function accountReport(account: Account, directory: string, policy: Policy): Promise<Report> {
  const { id, provider } = account
  // Sums over folders that are as if they were not there would tell of them.
  const mirror = policy.concealHidden ? undefined : await mirrorReport(account, directory)
  return { id, provider, ...connectionReport(account), ...(mirror && { mirror }) }
}

function connectionReport(account: Account): Report {
  if (account.connections === undefined) return { state: 'no server' }
  const connections = account.connections()
  const isConnected = connections !== undefined && connections.open + connections.watching > 0
  return isConnected ? { state: 'connected', connections } : { state: 'not connected' }
}

async function mirrorReport({ id, mirror }: Account, directory: string): Promise<Report | undefined> {
  if (mirror === undefined || !(await hasMirror(directory, id))) return undefined
  try {
    const folders = await mirror.store.folders()
    const sum = (of: 'kept' | 'indexed'): number => folders.reduce((total, folder) => total + folder[of], 0)
    return { folders: folders.length, kept: sum('kept'), indexed: sum('indexed') }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { problem: error.message }
  }
}
