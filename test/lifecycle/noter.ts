/** A process that notes requests in the log of a directory, many at a time, and tells when it is done. */
import { setTimeout as pause } from 'node:timers/promises'
import { createRequestLog } from '../../src/adapters/log/request-log.ts'

const [directory = '', name = '', rounds = '0', each = '0'] = process.argv.slice(2)
const log = createRequestLog({ directory })
for (let round = 0; round < Number(rounds); round += 1) {
  for (let at = 0; at < Number(each); at += 1) {
    log.note({ method: `${name}-${round * Number(each) + at}`, tool: 'x'.repeat(60), durationMs: 1 })
  }
  await pause(300)
}
await log.close()
