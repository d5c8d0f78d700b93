/** A process of its own that adds messages to a local mailbox, one by one. */
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'

const [path = '', name = '', count = '0'] = process.argv.slice(2)
const source = createLocalSource({ path, account: 'me', databases: databaseFiles })
for (let at = 0; at < Number(count); at++) {
  const bytes = Buffer.from(`Subject: ${name}-${at}\r\n\r\nText.\r\n`)
  await source.append('INBOX', { bytes, flags: [] }, new AbortController().signal)
}
await source.close()
