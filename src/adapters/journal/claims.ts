/**
 * Who works on which transfer.
 *
 * INVARIANT: looking whether an owner is alive and taking its place are one transaction, so that of two that want the same
 * transfer one gets it.
 */
import type { Database } from 'better-sqlite3'
import { isAlive, type Owner } from './owner.ts'

interface Claim {
  readonly pid: number | null
  readonly started: string | null
  readonly token: string | null
}

export interface Claims {
  /** Returns those that are ours now, and how many of them others had who are dead. */
  take(txIds: readonly string[]): { readonly ours: readonly string[]; readonly inherited: number }
  free(txIds: readonly string[]): void
  freeAll(): void
}

/** Its functions are called within a transaction. */
export function claimsIn(db: Database, owner: Owner): Claims {
  const claimOf = db.prepare<[string], Claim>(
    'select owner_pid as pid, owner_started as started, owner_token as token from transactions where tx_id = ?',
  )
  const own = db.prepare<[number, string, string, string]>(
    'update transactions set owner_pid = ?, owner_started = ?, owner_token = ? where tx_id = ?',
  )
  const freed =
    'update transactions set owner_pid = null, owner_started = null, owner_token = null where owner_token = ?'
  const free = db.prepare<[string, string]>(`${freed} and tx_id = ?`)
  const freeAll = db.prepare<[string]>(freed)

  return {
    take(txIds) {
      const ours: string[] = []
      let inherited = 0
      const isHeld = heldByOthers()
      for (const txId of txIds) {
        const claim = claimOf.get(txId)
        if (claim === undefined || (claim.token !== owner.token && isHeld(claim))) continue
        if (claim.token !== null && claim.token !== owner.token) inherited += 1
        own.run(owner.pid, owner.started, owner.token, txId)
        ours.push(txId)
      }
      return { ours, inherited }
    },
    free(txIds) {
      for (const txId of txIds) free.run(owner.token, txId)
    },
    freeAll: () => void freeAll.run(owner.token),
  }
}

/** Each process is looked at once, however many claims it has. */
function heldByOthers(): (claim: Claim) => boolean {
  const known = new Map<string, boolean>()
  return ({ pid, started }) => {
    if (pid === null || started === null) return false
    const key = `${pid} ${started}`
    const alive = known.get(key) ?? isAlive({ pid, started })
    known.set(key, alive)
    return alive
  }
}
