/** A process that falls over something unexpected after it has answered a request. */
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createRequestLog } from '../../src/adapters/log/request-log.ts'

const [directory = '', words = ''] = process.argv.slice(2)
const log = createRequestLog({ directory, locks: async () => fileLocks })
log.note({ method: 'tools/call', tool: 'list_emails', durationMs: 1 })
setImmediate(() => {
  throw new TypeError(words)
})
