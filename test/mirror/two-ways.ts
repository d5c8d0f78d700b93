/** One mailbox on a real server, asked in two ways: at the server, and on the mirror of it. */
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createContentReader } from '../../src/adapters/mime/reader.ts'
import type { FolderDefinition } from '../../src/core/policy/folder.ts'
import { policyFrom } from '../../src/core/policy/policy.ts'
import type { Account } from '../../src/engine/accounts/accounts.ts'
import { mirroredSource } from '../../src/engine/accounts/mirrored-source.ts'
import { ServerPatience } from '../../src/engine/accounts/server-patience.ts'
import { type FolderAnswer, type FolderQuestion, searchFolder } from '../../src/engine/search/search-folder.ts'
import { FactKeeper } from '../../src/engine/sight/fact-keeper.ts'
import { Sight } from '../../src/engine/sight/sight.ts'
import { freshFolders } from '../../src/engine/sync/fresh-folders.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import type { SeedMessage } from '../mail-source/messages.ts'
import { startSyncScene, syncWell } from './sync-scene.ts'

export interface TwoWays {
  readonly live: Account
  readonly mirrored: Account
  /** Puts messages into a new folder and syncs it. Returns its name. */
  fill(messages: readonly SeedMessage[]): Promise<string>
  empty(mailbox: string): Promise<void>
  ask(account: Account, question: FolderQuestion, rules: FolderDefinition, conceals: boolean): Promise<FolderAnswer>
  stop(): Promise<void>
}

export async function startTwoWays(nowSeconds: number): Promise<TwoWays> {
  const scene = await startSyncScene()
  const mirror = scene.mirror('mirror')
  const content = createContentReader(silentLog)
  const source = scene.desk.make()
  const patience = new ServerPatience(systemClock)
  const kept = { ...freshFolders(mirror.sync, mirror.store, { depth: 'full' }, patience), store: mirror.store }
  const account = { id: 'work', host: '127.0.0.1', port: 1, secure: false } as unknown as Account
  const live: Account = { ...account, source }
  const mirrored: Account = { ...account, source: mirroredSource(source, kept, patience), mirror: kept }
  const facts = new FactKeeper()
  const clock = { ...systemClock, now: () => nowSeconds * 1000, elapsed: () => systemClock.elapsed() }
  let number = 0
  return {
    live,
    mirrored,
    async fill(messages) {
      const mailbox = `Run ${++number}`
      await scene.desk.other.seed(mailbox, messages)
      await syncWell(mirror)
      return mailbox
    },
    async empty(mailbox) {
      await scene.desk.other.imap.mailboxDelete(mailbox)
    },
    ask(asked, question, rules, conceals) {
      const policy = policyFrom({ name: 'p', concealHidden: conceals, accounts: new Map([['work', [rules]]]) })
      const sight = new Sight(policy, facts, clock)
      return searchFolder(asked, question, { sight, content, log: silentLog, signal: never() })
    },
    async stop() {
      await content.close()
      await scene.stop()
    },
  }
}
