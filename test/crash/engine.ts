/**
 * A process that carries messages, or goes on with what another left, and kills itself at the n-th mark:
 * `node engine.ts ORDER`, an order being JSON. Each call of the journal, the spool and the record is two marks, one before it
 * and one after. A process that lives to the end says on stdout which marks it passed.
 */

import { join } from 'node:path'
import { createAuditLog } from '../../src/adapters/audit/audit-log.ts'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { sha256 } from '../../src/adapters/seal/digest.ts'
import { createSpool } from '../../src/adapters/spool/spool.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { type Account, AccountBook, Accounts } from '../../src/engine/accounts/accounts.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { Transfers } from '../../src/engine/transfer/transfers.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import type { EngineOrder } from './engine-order.ts'

async function carry(wanted: Extract<EngineOrder['work'], { kind: 'carry' }>['order']): Promise<void> {
  const order = { callerId: 'mover', ...wanted, readable: new Set(wanted.uids) }
  await transfers.carry(order, book, AbortSignal.timeout(60_000))
}

const order: EngineOrder = JSON.parse(process.argv[2] ?? '{}')
const { dataDir, work, mark } = order
const passed: string[] = []

function pass(name: string): void {
  passed.push(name)
  if (passed.length - 1 === mark) process.kill(process.pid, 'SIGKILL')
}

/** The same, with a mark before and after each of these calls. */
function marked<T extends object>(name: string, part: T, calls: readonly (keyof T & string)[]): T {
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      const call = value.bind(target)
      if (!calls.some((one) => one === key)) return call
      return async (...given: readonly unknown[]) => {
        pass(`before ${name}.${String(key)}`)
        const answer: unknown = await call(...given)
        pass(`after ${name}.${String(key)}`)
        return answer
      }
    },
  })
}

const accounts: readonly Account[] = order.accounts.map(({ id, port, password }) => ({
  id,
  host: '127.0.0.1',
  port,
  secure: false,
  provider: 'imap-standard',
  source: createImapSource(
    { account: id, host: '127.0.0.1', port, tls: 'none', user: id, access: fixedPassword(password) },
    silentLog,
  ),
}))
const book = new AccountBook(accounts)
const audit = createAuditLog({
  directory: join(dataDir, 'audit'),
  keyDirectory: dataDir,
  clock: systemClock,
  log: silentLog,
})
const journal = createJournal({ path: join(dataDir, 'wal.db'), locks: fileLocks, databases: databaseFiles })
const spool = createSpool({ directory: join(dataDir, 'spool') })
const transfers = new Transfers({
  accounts: new Accounts(accounts),
  journal: marked('journal', journal, ['begin', 'record', 'claim', 'release']),
  spool: marked('spool', spool, ['write', 'remove', 'keepOnly']),
  clock: systemClock,
  audit: marked('audit', audit, ['append']),
  log: silentLog,
  digest: sha256,
  newId: () => crypto.randomUUID(),
  retryLimit: 3,
})

if (work.kind === 'resume') await transfers.resume()
else await carry(work.order)
await transfers.close()
await audit.close()
await Promise.all(accounts.map(({ source }) => source.close()))
process.stdout.write(JSON.stringify(passed))
