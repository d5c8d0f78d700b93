/** A process that notes what was read: `node reader.ts PATH NOW COUNT`. Says `noted` after each, and stays. */
import { createReadNotes } from '../../src/adapters/outbox/read-notes.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'

const [path = '', now = '0', count = '0'] = process.argv.slice(2)
const notes = createReadNotes({ path, databases: databaseFiles })
for (let number = 0; number < Number(count); number += 1) {
  await notes.note('local', [{ account: 'work', readers: [`r${process.pid}-${number}@example.org`] }], Number(now))
  process.stdout.write(`r${process.pid}-${number}@example.org\n`)
}
setInterval(() => undefined, 60_000)
