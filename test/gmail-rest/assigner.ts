/**
 * A process that gives uids to messages it sees: `node assigner.ts FILE LABEL ID…`. Says on stdout which it gave, as JSON, a line for
 * each id, seen one by one.
 */
import { createUidStore } from '../../src/adapters/gmail/uids/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'

const [file = '', label = '', ...ids] = process.argv.slice(2)
const { signal } = new AbortController()
const uids = createUidStore({ path: file, databases: databaseFiles })
for (const id of ids) {
  const { uidvalidity } = await uids.state(label, signal)
  const given = await uids.assign(label, [id], signal)
  process.stdout.write(`${JSON.stringify([id, given.get(id), uidvalidity])}\n`)
}
uids.close()
