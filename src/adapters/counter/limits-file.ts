/**
 * The file `limits.db`. It outlives processes; what the last second before a power failure counted may be lost, which is
 * cheaper than a flush for every call.
 */
import type { DatabaseKind } from '../../ports/database-files.ts'
import { cannotCount } from './failures.ts'

/** A caller's calls are numbered; `at` is in milliseconds since 1970. */
const SCHEMA = `
  create table call (
    caller text not null,
    number integer not null,
    at integer not null,
    primary key (caller, number)
  ) strict, without rowid;
`

export const LIMITS_FILE: DatabaseKind = {
  applicationId: 0x5053_544c, // "PSTL"
  scripts: [SCHEMA],
  pragmas: ['journal_mode = WAL', 'synchronous = NORMAL'],
  failure: cannotCount,
}
