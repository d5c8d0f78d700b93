/** Holds the lock on a file until it is ended. */
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'

const [path = ''] = process.argv.slice(2)
if (fileLocks.take(path) === undefined) throw new Error('another process has it')
process.stdout.write('held\n')
setInterval(() => undefined, 60_000)
