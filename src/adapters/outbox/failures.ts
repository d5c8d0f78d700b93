/** What SQLite and the file system say about the two files, in our words. */
import { Failure } from '../../core/failure.ts'

/** How failures of one of the files are told. */
export interface FileWords {
  readonly stage: string
  readonly cannot: string
  readonly file: string
  /** What to do with a file that cannot be read. */
  readonly ifDamaged: string
}

export const OUTBOX_WORDS: FileWords = {
  stage: 'outbox',
  cannot: 'the outbox cannot be used',
  file: 'outbox.db in the data directory',
  ifDamaged: 'move it away while nothing runs, look among what was sent, and ask again for what is missing',
}

export const READS_WORDS: FileWords = {
  stage: 'read_notes',
  cannot: 'what is read cannot be noted',
  file: 'reads.db in the data directory',
  ifDamaged: 'move it away while nothing runs',
}

const WHY: Readonly<Record<string, (words: FileWords) => string>> = {
  SQLITE_BUSY: () => 'another process holds it; try again',
  SQLITE_PROTOCOL: () => 'another process holds it; try again',
  SQLITE_CORRUPT: ({ file, ifDamaged }) => `${file} is damaged; ${ifDamaged}`,
  SQLITE_NOTADB: ({ file, ifDamaged }) => `${file} is damaged; ${ifDamaged}`,
  SQLITE_FULL: () => 'no space is left on its disk',
  SQLITE_IOERR: () => 'its disk reports errors',
  SQLITE_CANTOPEN: ({ file }) => `${file} cannot be opened`,
  SQLITE_READONLY: ({ file }) => `${file} may not be written`,
  ENOSPC: () => 'no space is left on its disk',
  EDQUOT: () => 'the disk quota is used up',
  EACCES: () => 'the data directory may not be written',
  EPERM: () => 'the data directory may not be written',
  EROFS: () => 'the data directory may not be written',
  ENOTDIR: () => 'the data directory is not a directory',
  EEXIST: () => 'the data directory is not a directory',
  EISDIR: ({ file }) => `${file} is not a file`,
  EMFILE: () => 'too many files are open',
  ENFILE: () => 'too many files are open',
  EIO: () => 'its disk reports errors',
}

/** A row that does not fit is a bug, and stays what it is. */
export function fileFailure(cause: unknown, words: FileWords): unknown {
  const code = codeOf(cause)
  if (cause instanceof Failure || code === '' || code.startsWith('SQLITE_CONSTRAINT')) return cause
  const known = Object.keys(WHY).find((name) => isOf(code, name))
  const why = known === undefined ? undefined : WHY[known]?.(words)
  return unavailable(words, why ?? 'its file cannot be used', cause)
}

export function otherProgram(words: FileWords): Failure {
  return unavailable(words, `${words.file} is a database of another program; move it away while nothing runs`)
}

export function newerVersion(words: FileWords): Failure {
  return unavailable(words, `${words.file} was written by a newer version of Postern; upgrade Postern to use it`)
}

export function unreadableRow(words: FileWords, cause: unknown): Failure {
  return unavailable(words, `${words.file} is damaged; ${words.ifDamaged}`, cause)
}

export function isClosed(words: FileWords): Failure {
  return unavailable(words, 'it has been closed')
}

export function unknownLetter(): Failure {
  return new Failure('not_found', 'no letter of this id is in the outbox', { stage: 'outbox' })
}

export function messageIsGone(): Failure {
  return new Failure('not_found', 'the message is kept no longer: the letter is over', { stage: 'outbox' })
}

export function tooManyWaiting(): Failure {
  const what = 'too many letters of this account wait already; somebody has to approve or reject some of them first'
  return new Failure('unavailable', what, { stage: 'outbox' })
}

export function sentByAnother(): Failure {
  return new Failure('conflict', 'another process is sending it at this moment', { stage: 'outbox' })
}

/** Whether another process was writing just then. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error)
  return isOf(code, 'SQLITE_BUSY') || isOf(code, 'SQLITE_PROTOCOL')
}

/** Whether it is the database that failed, and with it whatever else was in the transaction. */
export function isOfDatabase(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_')
}

function unavailable({ stage, cannot }: FileWords, why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `${cannot}: ${why}`, { cause, stage })
}

function isOf(code: string, name: string): boolean {
  return code === name || code.startsWith(`${name}_`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
