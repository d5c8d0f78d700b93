/** What is wrong with the file of the uids, in our words. */
import { Failure } from '../../../core/failure.ts'
import type { Trouble } from '../../../ports/database-files.ts'

export function uidFailure({ kind, cause }: Trouble): unknown {
  switch (kind) {
    case 'bug':
      return cause
    case 'closed':
      return new Failure('unavailable', 'the mail account is being closed')
    case 'busy':
      return new Failure('unavailable', 'the uid file of the account is in use by another process; try again', {
        cause,
      })
    case 'full':
    case 'quota':
      return new Failure('unavailable', 'there is no space left on the disk of the data directory', { cause })
    case 'damaged':
    case 'foreign':
      return new Failure('unreadable', 'the uid file of the account is damaged; remove it and search again', { cause })
    case 'newer':
      return new Failure('unsupported', 'the uid file was written by a newer Postern; upgrade this one')
    case 'missing':
    case 'unopenable':
    case 'unwritable':
    case 'forbidden':
    case 'no_directory':
    case 'no_file':
    case 'many_files':
      return new Failure('unavailable', 'the uid file of the account cannot be opened for reading and writing', {
        cause,
      })
    default:
      return new Failure('internal', 'the uid file of the account failed', { cause })
  }
}
