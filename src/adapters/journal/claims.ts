/**
 * Who works on which transfer.
 *
 * INVARIANT: looking whether an owner is alive and taking its place are one transaction, so that of two that want the same
 * transfer one gets it.
 */
import type { DatabaseFile } from '../../ports/database-files.ts'
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

/** Its functions are called within a transaction. `holds`: whether the owner of that token lives, where that is known. */
export function claimsIn(db: DatabaseFile, owner: Owner, holds: (token: string) => boolean | undefined): Claims {
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
      const isHeld = heldByOthers(holds)
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

/** Each owner is looked at once, however many claims it has. */
function heldByOthers(holds: (token: string) => boolean | undefined): (claim: Claim) => boolean {
  const known = new Map<string, boolean>()
  return ({ pid, started, token }) => {
    if (pid === null || started === null || token === null) return false
    const alive = known.get(token) ?? holds(token) ?? isAlive({ pid, started })
    known.set(token, alive)
    return alive
  }
}
