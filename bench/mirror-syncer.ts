/**
 * A process that mirrors the headers of an account: `node mirror-syncer.ts PORT USER PASSWORD PATH`. Prints as JSON how many
 * milliseconds it took until the headers of all messages were stored, and until they could be searched.
 *
 * INVARIANT: the connection is made within the time; loading the program is not.
 */

import { systemClock } from '../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../src/adapters/imap/source.ts'
import { fileLocks } from '../src/adapters/lock/file-locks.ts'
import { createContentReader } from '../src/adapters/mime/reader.ts'
import { createMirrorStore } from '../src/adapters/mirror/store.ts'
import { databaseFiles } from '../src/adapters/sqlite/database-files.ts'
import { fixedPassword } from '../src/engine/credentials/fixed-password.ts'
import { AccountSync } from '../src/engine/sync/sync-account.ts'
import { silentLog } from '../test/dovecot/silent-log.ts'

const [port = '', user = '', password = '', path = ''] = process.argv.slice(2)
const account = { account: 'bench', host: '127.0.0.1', port: Number(port), tls: 'none', user } as const
const source = createImapSource({ ...account, access: fixedPassword(password) }, silentLog)
const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
const content = createContentReader(silentLog)
// The adapter loads it when it first connects.
await import('imapflow')
const began = performance.now()
let stored = Number.NaN
const fill: typeof store.fill = async (mailbox, rows, downTo) => {
  await store.fill(mailbox, rows, downTo)
  if (mailbox === 'INBOX') stored = performance.now() - began
}
const sync = new AccountSync({
  ...{ account: { id: 'bench', source }, feed: source, store: { ...store, fill }, content },
  ...{ depth: 'headers', clock: systemClock, log: silentLog },
})
const report = await sync.syncAll(() => undefined, new AbortController().signal)
const searchable = performance.now() - began
const inbox = report.kind === 'done' ? report.folders.find(({ mailbox }) => mailbox === 'INBOX') : undefined
await Promise.all([source.close(), content.close(), store.close()])
process.stdout.write(JSON.stringify({ stored, searchable, kept: inbox?.kept, failed: inbox?.failure?.message }))
