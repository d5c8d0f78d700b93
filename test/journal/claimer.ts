/**
 * A process that claims whatever is unfinished, one by one: `node claimer.ts PATH`. Says `ready`, begins at the first input,
 * says the ids it got on one line, and stays until its input ends, so that what it has is a living process's.
 */

import { once } from 'node:events'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'

const [path = ''] = process.argv.slice(2)
const journal = createJournal({ path, locks: fileLocks, databases: databaseFiles })

process.stdout.write('ready\n')
await once(process.stdin, 'data')
const got: string[] = []
for (const { txId } of await journal.unfinished()) got.push(...(await journal.claim([txId])))
process.stdout.write(`${got.join(' ')}\n`)
await once(process.stdin.resume(), 'end')
process.exit()
