/**
 * A process that begins transfers and takes them on, eight at a time: `node writer.ts PATH MOST`. Says its number first, and then
 * each step when it is acknowledged: `ID STEPS`. Stays when it is done.
 */

import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { newTransfer, onward } from './transfers.ts'

const [path = '', most = '0'] = process.argv.slice(2)
const journal = createJournal({ path, locks: fileLocks, databases: databaseFiles })
/** Until it has left: what is still waiting in this process dies with it. */
const say = (line: string): Promise<void> => new Promise((said) => process.stdout.write(`${line}\n`, () => said()))

await say(String(process.pid))
let count = 0
async function write(): Promise<void> {
  while (count < Number(most)) {
    count += 1
    // Every third one is left on its way.
    const last = count % 3 === 0 ? 3 : 6
    const transfer = newTransfer({ createdAt: count })
    await journal.begin([transfer])
    await say(`${transfer.txId} 1`)
    let step = onward(transfer)
    for (let steps = 2; step !== undefined && steps <= last; steps += 1) {
      await journal.record([step])
      await say(`${transfer.txId} ${steps}`)
      step = onward(step.after)
    }
  }
}
await Promise.all(Array.from({ length: 8 }, write))
await say('done')
setInterval(() => undefined, 60_000)
