/**
 * Who may write.
 *
 * INVARIANT: looking whether the holder is alive and taking its place are one transaction, so that of two that want the
 * lease one gets it. Nothing is written but under a lease of ours.
 */
import type { MirrorDatabase } from './database.ts'
import { isAlive, type Owner } from './owner.ts'

interface Holder {
  readonly pid: number
  readonly started: string
  readonly token: string
}

/** Both are called within a write. */
export function takeLease(db: MirrorDatabase, owner: Owner): boolean {
  const holder = db.get<Holder>('select pid, started, token from lease')
  if (holder !== undefined && holder.token !== owner.token && isAlive(holder)) return false
  db.run('delete from lease')
  db.run('insert into lease (pid, started, token) values (?, ?, ?)', owner.pid, owner.started, owner.token)
  return true
}

export function freeLease(db: MirrorDatabase, owner: Owner): void {
  db.run('delete from lease where token = ?', owner.token)
}

export function requireLease(db: MirrorDatabase, owner: Owner): void {
  if (db.get('select 1 from lease where token = ?', owner.token) === undefined) {
    throw new Error('the mirror is written without its lease')
  }
}
