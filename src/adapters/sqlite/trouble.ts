/** What SQLite and the file system say about a file. */
import { Failure } from '../../core/failure.ts'
import type { DatabaseKind, TroubleKind } from '../../ports/database-files.ts'

/** By the codes, also where they go on: `SQLITE_IOERR_FSYNC` is one of `SQLITE_IOERR`. */
const CODES: Readonly<Record<string, TroubleKind>> = {
  SQLITE_BUSY: 'busy',
  SQLITE_PROTOCOL: 'busy',
  SQLITE_FULL: 'full',
  ENOSPC: 'full',
  EDQUOT: 'quota',
  SQLITE_IOERR: 'disk',
  EIO: 'disk',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_NOTADB: 'damaged',
  SQLITE_CANTOPEN: 'unopenable',
  ENOENT: 'missing',
  ELOOP: 'missing',
  ESTALE: 'replaced',
  SQLITE_READONLY: 'unwritable',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'forbidden',
  ENOTDIR: 'no_directory',
  EEXIST: 'no_directory',
  EISDIR: 'no_file',
  EMFILE: 'many_files',
  ENFILE: 'many_files',
  SQLITE_CONSTRAINT: 'misfit',
  SQLITE_ERROR: 'misused',
  SQLITE_MISMATCH: 'misused',
  SQLITE_RANGE: 'misused',
  SQLITE_MISUSE: 'misused',
  ERR: 'bug',
}

const MISPLACED = 'something else is in the place of its directory or file'
const FORBIDDEN = 'its file may not be written'
const UNUSABLE = 'its file cannot be used'

const WHY: Readonly<Record<TroubleKind, string>> = {
  busy: 'another process holds it; try again',
  full: 'no space is left on its disk',
  quota: 'the disk quota is used up',
  disk: 'its disk reports errors',
  damaged: 'its file is damaged',
  foreign: 'its file is a database of another program',
  older: 'its file was written by an older version of Postern',
  newer: 'its file was written by a newer version of Postern',
  missing: UNUSABLE,
  replaced: 'its file was removed or replaced meanwhile; try again',
  unopenable: 'its file cannot be opened',
  unwritable: FORBIDDEN,
  forbidden: FORBIDDEN,
  no_directory: MISPLACED,
  no_file: MISPLACED,
  many_files: 'too many files are open',
  closed: 'it has been closed',
  misfit: UNUSABLE,
  misused: UNUSABLE,
  other: UNUSABLE,
  bug: UNUSABLE,
}

/** What is a failure already stays it. */
export function failureOf(cause: unknown, kind: DatabaseKind): unknown {
  return cause instanceof Failure ? cause : told(kind, troubleOf(cause), { cause })
}

export function told(
  kind: DatabaseKind,
  trouble: TroubleKind,
  about: { readonly cause?: unknown; readonly version?: number } = {},
): unknown {
  return kind.failure({ kind: trouble, why: WHY[trouble], ...about })
}

/** Whether another process was writing just then. */
export function isBusy(error: unknown): boolean {
  return troubleOf(error instanceof Failure ? error.cause : error) === 'busy'
}

/** Whether it is a row that may not be. */
export function isMisfit(error: unknown): boolean {
  return troubleOf(error) === 'misfit'
}

/** Whether it is the database that failed, and with it whatever else was in the transaction. */
export function isOfDatabase(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_')
}

function troubleOf(error: unknown): TroubleKind {
  const code = codeOf(error)
  if (code === '') return 'bug'
  const known = Object.keys(CODES).find((name) => code === name || code.startsWith(`${name}_`))
  return (known !== undefined && CODES[known]) || 'other'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
