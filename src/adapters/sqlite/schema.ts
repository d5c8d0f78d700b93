/**
 * Brings files up to the version that is known.
 *
 * INVARIANT: safe when several processes do it at once, and when one is killed in the middle of it: all scripts that a file
 * needs are one transaction. What is refused is left as it is.
 */
import type { Database } from 'better-sqlite3'
import type { DatabaseKind } from '../../ports/database-files.ts'
import { told } from './trouble.ts'

export type Purpose = 'read' | 'write'
type Standing = 'current' | 'empty' | 'older' | 'newer' | 'foreign'

/** Before anything is set: a file that is not ours, or not yet, stays as it is. */
export function refuseOthers(db: Database, kind: DatabaseKind, purpose: Purpose): void {
  db.transaction(() => isCurrent(db, kind, purpose)).deferred()
}

export function bringUp(db: Database, kind: DatabaseKind, purpose: Purpose = 'write'): void {
  if (standingOf(db, kind) === 'current') return
  const isReady = (): boolean => isCurrent(db, kind, purpose)
  // In a transaction what is seen belongs together: another process may be making the file just now.
  if (db.transaction(isReady).deferred()) return
  db.transaction(() => {
    if (isReady()) return
    for (const script of kind.scripts.slice(versionOf(db))) db.exec(script)
    db.pragma(`application_id = ${kind.applicationId}`)
    db.pragma(`user_version = ${kind.scripts.length}`)
  }).immediate()
}

/** False where it can be brought up; throws where it cannot. */
function isCurrent(db: Database, kind: DatabaseKind, purpose: Purpose): boolean {
  const standing = standingOf(db, kind)
  const isRefused = standing === 'older' && purpose === 'read' && kind.isLeftToWriters === true
  if (standing === 'newer' || standing === 'foreign' || isRefused) {
    throw told(kind, standing, { version: versionOf(db) })
  }
  return standing === 'current'
}

export function standingOf(db: Database, { applicationId, scripts }: DatabaseKind): Standing {
  const [version, application] = [versionOf(db), Number(db.pragma('application_id', { simple: true }))]
  if (application === 0 && version === 0) return isEmpty(db) ? 'empty' : 'foreign'
  if (application !== applicationId || version < 0) return 'foreign'
  if (version === scripts.length) return 'current'
  return version > scripts.length ? 'newer' : 'older'
}

function isEmpty(db: Database): boolean {
  return db.prepare('select 1 from sqlite_schema limit 1').get() === undefined
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}
