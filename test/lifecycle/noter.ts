/** A process that notes requests in the log of a directory, many at a time, and ends when all are written. */
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createRequestLog } from '../../src/adapters/log/request-log.ts'

const [directory = '', name = '', rounds = '0', each = '0'] = process.argv.slice(2)
for (let round = 0; round < Number(rounds); round += 1) {
  const log = createRequestLog({ directory, locks: async () => fileLocks })
  for (let at = 0; at < Number(each); at += 1) {
    log.note({ method: `${name}-${round * Number(each) + at}`, tool: 'x'.repeat(60), durationMs: 1 })
  }
  // What is noted faster than it can be written is dropped: here nothing may be.
  await log.close()
}
