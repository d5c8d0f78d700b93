/** What the file system and the lock say, in our words. */
import { Failure } from '../../core/failure.ts'

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'its disk quota is used up',
  EFBIG: 'its file may not grow any more',
  EACCES: 'its directory or file may not be written',
  EPERM: 'its directory or file may not be written',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'its directory is not a directory',
  EEXIST: 'its directory is not a directory',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'its disk reports errors',
  SQLITE_CANTOPEN: 'its lock file cannot be opened',
  SQLITE_READONLY: 'its lock file may not be written',
  SQLITE_NOTADB: 'its lock file .lock.db is damaged; run: postern doctor',
}

/** Every failure to write is this one, so that nothing happens which could not be recorded. */
export function cannotWrite(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const why = WHY[codeOf(cause)] ?? 'writing it failed'
  return new Failure('unavailable', `the audit log cannot be written: ${why}`, { cause, stage: 'audit' })
}

export function lockIsHeld(waitedMs: number): Failure {
  const message = 'the audit log cannot be written: another process holds its lock'
  return new Failure('unavailable', message, { stage: 'audit', details: { waited_ms: Math.round(waitedMs) } })
}

export function isClosed(): Failure {
  return new Failure('unavailable', 'the audit log cannot be written: it has been closed', { stage: 'audit' })
}

export function cannotRead(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const missing = codeOf(cause) === 'ENOENT'
  return new Failure(
    missing ? 'not_found' : 'unavailable',
    missing ? 'there is no such directory' : 'the audit log cannot be read',
    { cause, stage: 'audit' },
  )
}

export function damagedSigningKey(): Failure {
  const message = 'audit.key in the data directory is damaged: it is no Ed25519 key; run: postern doctor'
  return new Failure('unreadable', message, { stage: 'audit' })
}

export function wrongVerifierKey(): Failure {
  return new Failure('invalid_input', 'the public key is not one: it looks like postern/audit+0a1b2c3d+AbCd…', {
    stage: 'audit',
  })
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
