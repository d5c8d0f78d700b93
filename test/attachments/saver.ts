/** Saves an attachment into the directory that it is given, says where, and lives on. */
import { createAttachmentFiles } from '../../src/adapters/attachments/attachment-files.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'

const [, , directory = ''] = process.argv
const files = createAttachmentFiles({ directory, lifetime: { ms: 3_600_000, locks: fileLocks } })
process.stdout.write(`${await files.save('left.bin', new Uint8Array(3))}\n`)
process.stdin.resume()
