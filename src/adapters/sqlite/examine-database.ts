/**
 * What state a SQLite file is in, for those who look after it.
 *
 * INVARIANT: reads only. A file that an older version wrote is sound: it is brought up when it is next used.
 */
import { statSync } from 'node:fs'
import type { DatabaseKind } from '../../ports/database-files.ts'
import { standingOf } from './schema.ts'
import { isSound, openToLook } from './sound-database.ts'

export type DatabaseState = 'sound' | 'empty' | 'damaged' | 'foreign' | 'newer'

/** Without a kind: of a file that is only locked, and stays empty. */
export function examineDatabase(path: string, kind: DatabaseKind | undefined): DatabaseState {
  if (statSync(path).size === 0) return kind === undefined ? 'sound' : 'empty'
  if (!isSound(path)) return 'damaged'
  return kind === undefined ? 'sound' : standing(path, kind)
}

function standing(path: string, kind: DatabaseKind): DatabaseState {
  const db = openToLook(path)
  try {
    const found = standingOf(db, kind)
    return found === 'newer' || found === 'foreign' ? found : 'sound'
  } catch {
    // Another process is writing just then: what is read at this moment tells nothing.
    return 'sound'
  } finally {
    db.close()
  }
}
