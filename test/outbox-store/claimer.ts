/**
 * A process that claims letters: `node claimer.ts PATH MOST FROM STEP ID…`. Says `ready`, begins at the first input, claims each id
 * at a moment of its own (FROM, FROM + STEP, …), says `ID KIND` for each, then `done`, and stays until its input ends.
 */
import { once } from 'node:events'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createOutboxStore } from '../../src/adapters/outbox/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { HOUR } from './letters.ts'

const [path = '', most = '0', from = '0', step = '0', ...ids] = process.argv.slice(2)
const store = createOutboxStore({ path, locks: fileLocks, databases: databaseFiles, now: () => Number(from) })
const say = (line: string): void => void process.stdout.write(`${line}\n`)

say('ready')
await once(process.stdin, 'data')
const limit = { most: Number(most), lengthMs: HOUR }
await Promise.all(
  ids.map(async (id, index) => {
    const { kind } = await store.claim(id, Number(from) + index * Number(step), limit)
    say(`${id} ${kind}`)
  }),
)
say('done')
await once(process.stdin.resume(), 'end')
process.exit()
