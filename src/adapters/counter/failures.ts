/** What is wrong with the file, in our words. */
import { Failure } from '../../core/failure.ts'
import type { Trouble, TroubleKind } from '../../ports/database-files.ts'

const FILE = 'limits.db in the data directory'
const DIRECTORY = 'the data directory'
const OTHER = `${FILE} belongs to another version of Postern or another program`

const WHY: Readonly<Partial<Record<TroubleKind, string>>> = {
  busy: 'another process holds limits.db; try again',
  full: 'no space is left on the disk',
  damaged: `${FILE} is damaged; delete it while nothing runs`,
  foreign: OTHER,
  newer: OTHER,
  unopenable: `${FILE} cannot be opened`,
  unwritable: `${FILE} may not be written`,
  forbidden: `${DIRECTORY} may not be written`,
  no_directory: `${DIRECTORY} is not a directory`,
  no_file: `${FILE} is not a file`,
  closed: 'the counter has been closed',
}

/** Every failure to count is this one: whoever asked must not go on. */
export function cannotCount({ kind, cause }: Trouble): Failure {
  const message = `the call cannot be counted against its limits: ${WHY[kind] ?? 'counting it failed'}`
  return new Failure('unavailable', message, { cause, stage: 'limits' })
}
