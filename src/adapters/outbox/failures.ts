/** What is wrong with the two files, in our words. */
import { Failure } from '../../core/failure.ts'
import type { Trouble, TroubleKind } from '../../ports/database-files.ts'

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

const WHY: Readonly<Partial<Record<TroubleKind, (words: FileWords) => string>>> = {
  damaged: ({ file, ifDamaged }) => `${file} is damaged; ${ifDamaged}`,
  foreign: ({ file }) => `${file} is a database of another program; move it away while nothing runs`,
  newer: ({ file }) => `${file} was written by a newer version of Postern; upgrade Postern to use it`,
  unopenable: ({ file }) => `${file} cannot be opened`,
  unwritable: ({ file }) => `${file} may not be written`,
  forbidden: () => 'the data directory may not be written',
  no_directory: () => 'the data directory is not a directory',
  no_file: ({ file }) => `${file} is not a file`,
}

/** A row that does not fit is a bug, and stays what it is. */
export function fileFailure({ kind, why, cause }: Trouble, words: FileWords): unknown {
  if (kind === 'bug' || kind === 'misfit') return cause
  return unavailable(words, WHY[kind]?.(words) ?? why, cause)
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

function unavailable({ stage, cannot }: FileWords, why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `${cannot}: ${why}`, { cause, stage })
}
