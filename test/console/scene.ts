/**
 * The console in this process, on real files and a real port: an outbox, a record, a mailbox of one owner, or what a
 * configuration tree says.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { createLog } from '../../src/adapters/log/log.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { AuditEntry } from '../../src/core/audit/record.ts'
import { ASK_ALWAYS } from '../../src/core/policy/sending.ts'
import type { SendEnding } from '../../src/core/send-ending.ts'
import { Accounts } from '../../src/engine/accounts/accounts.ts'
import type { Household } from '../../src/engine/console/desk.ts'
import { openConsole } from '../../src/house/console.ts'
import { LOCAL } from '../../src/house/environment-house.ts'
import { ownerHousehold } from '../../src/house/household.ts'
import { openOutbox } from '../../src/house/outbox.ts'
import { openAudit, openContent, openTransfers } from '../../src/house/postern.ts'
import { serveConsole } from '../../src/surfaces/cli/serve-console.ts'
import type { ServedConsole } from '../../src/surfaces/console/console.ts'
import { composed, sendingFor, WISH, type Wish } from '../outbox/vault-place.ts'
import { Visitor } from './visitor.ts'

export interface Scene {
  readonly directory: string
  readonly origin: string
  readonly door: ServedConsole
  readonly accounts: Accounts
  /** Puts mail into a mailbox of the account `work`. */
  put(mailbox: string, ...letters: readonly string[]): Promise<void>
  /** An agent asks for a letter to be sent. */
  ask(wish?: Partial<Wish>): Promise<SendEnding>
  /** Somebody who is signed in. */
  visitor(): Promise<Visitor>
  records(): readonly AuditEntry[]
  close(): Promise<void>
}

export interface SceneOptions {
  /** One that a scene before this one has left. */
  readonly directory?: string
  household?(accounts: readonly string[]): Household
}

export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'pk-'))
  const log = createLog({ level: 'silent' })
  const { signal } = new AbortController()
  const source = createLocalSource({ path: join(directory, 'work.db'), account: 'work', databases: databaseFiles })
  const accounts = new Accounts([{ ...LOCAL, id: 'work', source, address: 'ada@example.org' }])
  const auditDirectory = join(directory, 'audit')
  const audit = openAudit({ directory: auditDirectory }, directory, log)
  const content = openContent(log)
  const journal = join(directory, 'wal.db')
  const settings = { vault: join(directory, 'vault'), devMode: false }
  const outbox = openOutbox({ directory, accounts, audit, content, log, ...settings })
  const transfers = openTransfers({ directory, accounts, audit, log, journal })
  const owner = { id: 'local', writes: true, toolsets: ['imap', 'outbox'], accounts: ['work'] }
  const door = openConsole({
    ...{ directory, accounts, audit, auditDirectory, content, log, journal, transfers, version: '0.0.0-test' },
    household: options.household?.(['work']) ?? ownerHousehold(owner),
    outbox: outbox.desk(),
    devMode: settings.devMode,
  })
  const service = await serveConsole(door, 0)
  return {
    directory,
    origin: service.origin,
    door,
    accounts,
    async put(mailbox, ...letters) {
      const known = (await source.mailboxes(signal)).some(({ name }) => name === mailbox)
      if (!known) await source.createMailbox(mailbox)
      for (const letter of letters) await source.append(mailbox, { bytes: Buffer.from(letter), flags: [] }, signal)
    },
    ask(wish = {}) {
      const whole = { ...WISH, ...wish }
      const written = composed(whole, crypto.randomUUID())
      const { messageId, bytes } = written
      const account = accounts.current.get('work')
      const request = { sending: sendingFor(whole, written), messageId, bytes, account, rules: ASK_ALWAYS, taken: [] }
      return outbox.outbox.send(request, signal)
    },
    async visitor() {
      const visitor = new Visitor(service.origin)
      await visitor.signIn(await door.newLink(service.origin))
      return visitor
    },
    records: () => recordsIn(auditDirectory),
    async close() {
      door.close()
      await service.stop()
      await transfers.close()
      await Promise.all([content.close(), outbox.close()])
      await accounts.close()
      await audit.close()
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
}

export function recordsIn(directory: string): readonly AuditEntry[] {
  const days = readdirSync(directory).filter((name) => name.endsWith('.jsonl'))
  const lines = days.toSorted().flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
  return lines.filter((line) => line !== '').map((line): AuditEntry => JSON.parse(line))
}
