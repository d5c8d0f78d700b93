/**
 * A process that syncs an account: `node syncer.ts PORT USER PASSWORD PATH [N]`. Says each step before it is taken, how many rows
 * came, and `done`. Never takes its Nth step.
 */

import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import { createMirrorStore } from '../../src/adapters/mirror/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { AccountSync } from '../../src/engine/sync/sync-account.ts'
import type { MailFeed } from '../../src/ports/mail-feed.ts'
import type { MirrorStore } from '../../src/ports/mirror-store.ts'
import { silentLog } from '../dovecot/silent-log.ts'

const [port = '', user = '', password = '', path = '', halt = ''] = process.argv.slice(2)
const say = (line: string): void => void writeSync(1, `${line}\n`)

const source = createImapSource(
  { account: 'work', host: '127.0.0.1', port: Number(port), tls: 'none', user, access: fixedPassword(password) },
  silentLog,
)
const store = createMirrorStore({ path, clock: systemClock, locks: fileLocks, databases: databaseFiles })
const STEPS = ['remake', 'drop', 'fill', 'apply', 'index', 'tidy'] as const satisfies readonly (keyof MirrorStore)[]
let steps = 0
const told = Object.fromEntries(
  STEPS.map((step) => [
    step,
    async (...values: unknown[]) => {
      say(`step ${step}`)
      steps += 1
      if (steps === Number(halt)) for (;;) await pause(1000)
      return (store[step] as (...all: unknown[]) => Promise<void>)(...values)
    },
  ]),
)
const feed: MailFeed = {
  ...{ state: source.state, states: source.states, changes: source.changes, texts: source.texts, watch: source.watch },
  async *rows(at, within, signal) {
    for await (const rows of source.rows(at, within, signal)) {
      say(`rows ${rows.length}`)
      yield rows
    }
  },
}
const content = createContentReader(silentLog)
const sync = new AccountSync({
  ...{ account: { id: 'work', source }, feed, store: { ...store, ...told }, content },
  ...{ depth: 'full', clock: systemClock, log: silentLog },
})
const report = await sync.syncAll(() => undefined, new AbortController().signal)
const isWell = report.kind === 'done' && report.folders.every(({ failure }) => failure === undefined)
await Promise.all([source.close(), content.close(), store.close()])
say(isWell ? 'done' : 'failed')
