/**
 * Messages whose line ends are not those of mail, and destinations that store something else than they were sent: a message
 * arrives once or a person decides, and no retry sends it again.
 */

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { JOURNAL_FILE } from '../../src/adapters/journal/schema.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { sha256 } from '../../src/adapters/seal/digest.ts'
import { createSpool } from '../../src/adapters/spool/spool.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { isFinal } from '../../src/core/transfer/machine.ts'
import type { Operation, Transfer } from '../../src/core/transfer/transfer.ts'
import { type Account, Accounts } from '../../src/engine/accounts/accounts.ts'
import { fixedPassword } from '../../src/engine/credentials/fixed-password.ts'
import { Transfers } from '../../src/engine/transfer/transfers.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { otherClient } from '../dovecot/other-client.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { type FaultProxy, type Lesser, startFaultProxy } from './fault-proxy.ts'

const LONG = { timeout: 300_000 }
const never = new AbortController().signal
const OPERATIONS = ['move', 'copy'] as const
const RECEIVED = 1_500_000_000

const HEADER = [
  'From: a@x.example',
  'Subject: old mail',
  'Date: Fri, 14 Jul 2017 02:40:00 +0000',
  'Message-ID: <old@x>',
]
const LINES = [...HEADER, '', 'first', '.', '', 'last']
const FORMS = {
  'bare LF': `${LINES.join('\n')}\n`,
  'bare CR in the body': `${HEADER.join('\r\n')}\r\n\r\nfirst\r.\rlast\r\n`,
  mixed: `${HEADER.join('\n')}\r\n\nfirst\r\n.\n\rlast\r\r\nend\n\n`,
  'no final newline': LINES.join('\n'),
  'CRLF without a final one': LINES.join('\r\n'),
}

let dovecot: Dovecot
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  dovecot = await startDovecot({ users: { ada: 'pw', bob: 'pw' } })
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(() => dovecot.stop())

type Kind = 'local' | 'imap'

interface Way {
  readonly proxy: FaultProxy
  readonly directory: string
  readonly uid: number
  readonly uidvalidity: number
  go(operation: Operation): Promise<Transfer>
  retryAll(): Promise<Transfer>
  /** The raw messages at either end. */
  look(side: 'from' | 'to'): Promise<readonly string[]>
  /** Adds to the destination. */
  put(raw: string): Promise<void>
}

let ways = 0
async function open(raw: string, [from, to]: readonly [Kind, Kind], lesser: Lesser = {}, retryLimit = 4): Promise<Way> {
  ways += 1
  const directory = await mkdtemp(join(tmpdir(), 'pl-'))
  closing.push(() => rm(directory, { recursive: true, force: true }))
  const proxy = await startFaultProxy(dovecot.port, lesser)
  closing.push(() => proxy.close())
  const mailboxes = { from: `way ${ways} from`, to: `way ${ways} to` }
  for (const [side, user] of [['from', 'ada'] as const, ['to', 'bob'] as const]) {
    const client = await otherClient(dovecot.port, user, 'pw')
    await client.imap.mailboxCreate(mailboxes[side])
    await client.close()
  }
  const accounts = [
    await accountOf('from', from, { directory, user: 'ada', port: dovecot.port, mailbox: mailboxes.from }),
    await accountOf('to', to, { directory, user: 'bob', port: proxy.port, mailbox: mailboxes.to }),
  ] as const
  const book = new Accounts(accounts)
  closing.push(() => book.close())
  const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
  const placed = await accounts[0].source.append(
    mailboxes.from,
    { bytes: bytes(raw), flags: ['\\Seen'], received: RECEIVED },
    never,
  )
  const { uid = 0, uidvalidity = 0 } = placed ?? {}
  const transfers = new Transfers({
    accounts: book,
    journal: createJournal({ path: join(directory, 'wal.db'), locks: fileLocks, databases: databaseFiles }),
    spool: createSpool({ directory: join(directory, 'spool') }),
    clock: systemClock,
    audit: { append: async () => ({ seq: 0 }), close: async () => undefined },
    log: silentLog,
    digest: sha256,
    newId: randomUUID,
    retryLimit,
    backOffMs: [20],
    settleMs: 50,
  })
  closing.push(() => transfers.close())
  const end = async ([first]: readonly Transfer[]): Promise<Transfer> => {
    const find = async (): Promise<Transfer | undefined> => transfers.find(first?.txId ?? '')
    await expect.poll(async () => isFinal((await find()) as Transfer), LONG).toBe(true)
    return (await find()) as Transfer
  }
  return {
    proxy,
    directory,
    uid,
    uidvalidity,
    go: async (operation) =>
      end(
        await book.reading((current) =>
          transfers.carry(
            {
              ...{ callerId: 'anna', operation, uids: [uid], readable: new Set([uid]) },
              from: { account: 'from', mailbox: mailboxes.from, uidvalidity },
              to: { account: 'to', mailbox: mailboxes.to },
            },
            current,
            never,
          ),
        ),
      ),
    retryAll: async () => end(await transfers.retryAll()),
    look: async (side) => {
      const { source } = accounts[side === 'from' ? 0 : 1]
      const { uids, uidvalidity: now } = await source.find(mailboxes[side], { criteria: {}, take: 99 }, never)
      const found = await source.rawMany({ mailbox: mailboxes[side], uidvalidity: now }, uids, 1e6, never)
      return found.map((one) => Buffer.from(one.bytes).toString('latin1'))
    },
    put: async (text) => void (await accounts[1].source.append(mailboxes.to, { bytes: bytes(text), flags: [] }, never)),
  }
}

async function accountOf(
  id: string,
  kind: Kind,
  at: { readonly directory: string; readonly user: string; readonly port: number; readonly mailbox: string },
): Promise<Account> {
  const told = { id, host: '127.0.0.1', port: at.port, secure: false }
  if (kind === 'imap') {
    const { user, port } = at
    const login = { account: id, host: '127.0.0.1', port, tls: 'none', user, access: fixedPassword('pw') } as const
    return { ...told, provider: 'imap-standard', source: createImapSource(login, silentLog) }
  }
  const source = createLocalSource({ path: join(at.directory, `${id}.db`), account: id, databases: databaseFiles })
  await source.createMailbox(at.mailbox)
  return { ...told, provider: 'local', source }
}

const WAYS = [
  ['local', 'imap'],
  ['imap', 'local'],
  ['imap', 'imap'],
] as const

describe.each(WAYS)('from %s to %s', (...way) => {
  test.each(Object.entries(FORMS).flatMap(([name, raw]) => OPERATIONS.map((how) => [how, name, raw] as const)))(
    '%s a message with %s: it arrives once, with CRLF line ends',
    LONG,
    async (operation, _name, raw) => {
      const one = await open(raw, way)
      expect(await one.go(operation)).toMatchObject({ status: 'committed', lastError: undefined })
      expect(await one.look('from')).toHaveLength(operation === 'copy' ? 1 : 0)
      const [copy = '', ...more] = await one.look('to')
      expect(more).toEqual([])
      expect(copy).not.toMatch(/(?<!\r)\n/)
      expect(copy.replaceAll(/\r*\n|\r/g, '\n').trimEnd()).toBe(raw.replaceAll(/\r*\n|\r/g, '\n').trimEnd())
    },
  )
})

describe('a destination that stores something else', () => {
  const footer = (raw: string): string => `${raw}\r\nChecked by a gateway.\r\n`
  const header = (raw: string): string => `X-Seen-By: a gateway\r\n${raw}`
  const everything = (raw: string): string =>
    header(footer(raw.replace('<old@x>', '<new@y>').replace('old mail', '[EXT]').replace('2017', '2018')))
  const rewrites = { header, footer, everything }

  test.each(
    Object.entries(rewrites).flatMap(([name, how]) => [[name, [], how] as const, [name, ['UIDPLUS'], how] as const]),
  )('changes the %s (without %j): one copy, a person decides, retries send nothing', LONG, async (_, without, how) => {
    const one = await open(FORMS['bare LF'], ['local', 'imap'], { rewrites: how, without, undated: true })
    const stuck = { status: 'needs_operator', lastError: 'target_append_failed', unproven: { kind: 'acknowledged' } }
    expect(await one.go('move')).toMatchObject(stuck)
    for (let again = 0; again < 2; again += 1) expect(await one.retryAll()).toMatchObject(stuck)
    expect(await one.go('move')).toMatchObject(stuck)
    expect(one.proxy.heard().filter((name) => name === 'APPEND')).toHaveLength(1)
    expect([await one.look('from'), await one.look('to')]).toMatchObject([{ length: 1 }, { length: 1 }])
  })

  test.each([
    [
      'a header field and the Message-ID, and keeps the date',
      { rewrites: (raw: string) => header(raw.replace('<old@x>', '<new@y>')) },
    ],
    ['the text, and drops the date', { rewrites: footer, undated: true }],
    [
      'the Message-ID, and drops the date',
      { rewrites: (raw: string) => header(raw.replace('Message-ID: <old@x>\r\n', '')), undated: true },
    ],
  ])('changes %s, and its answer is lost: one copy, retries send nothing', LONG, async (_, lesser) => {
    const raw = FORMS['bare LF'].replace(/^Message-ID.*\n/m, (line) =>
      'undated' in lesser && lesser.rewrites !== footer ? '' : line,
    )
    const one = await open(raw, ['local', 'imap'], lesser)
    one.proxy.plan({ at: ({ name }) => name === 'APPEND', fault: { kind: 'lose' } })
    const stuck = { status: 'needs_operator', lastError: 'target_append_failed', unproven: { kind: 'similar' } }
    expect(await one.go('move')).toMatchObject(stuck)
    for (let again = 0; again < 2; again += 1) expect(await one.retryAll()).toMatchObject(stuck)
    expect(one.proxy.heard().filter((name) => name === 'APPEND')).toHaveLength(1)
    expect([await one.look('from'), await one.look('to')]).toMatchObject([{ length: 1 }, { length: 1 }])
  })

  test('an answer lost, then other mail: the message is sent again, once', LONG, async () => {
    const one = await open(FORMS['bare LF'], ['local', 'imap'])
    const work = (): Promise<void> =>
      one.put('From: b@y.example\r\nSubject: other\r\nMessage-ID: <other@y>\r\n\r\nx\r\n')
    const isAppend = ({ name }: { readonly name: string }): boolean => name === 'APPEND'
    one.proxy.plan({ at: isAppend, fault: { kind: 'reset' } }, { at: isAppend, fault: { kind: 'first', work } })
    expect(await one.go('move')).toMatchObject({ status: 'committed' })
    expect(await one.look('to')).toHaveLength(2)
  })

  test.each([
    ['ends the last line', (raw: string) => `${raw}\r\n`],
    ['adds empty lines at the end', (raw: string) => `${raw}\r\n\r\n`],
    ['rewrites bare CRs', (raw: string) => raw.replaceAll(/\r(?!\n)/g, '\r\n')],
  ])('but only %s: it has arrived', LONG, async (_, how) => {
    const one = await open(FORMS['bare CR in the body'].trimEnd(), ['local', 'imap'], { rewrites: how })
    expect(await one.go('move')).toMatchObject({ status: 'committed' })
    expect([await one.look('from'), await one.look('to')]).toMatchObject([{ length: 0 }, { length: 1 }])
  })
})

describe('a journal of an earlier version, which has the hash of other line ends', () => {
  /** As version 2 left it: sent, and what was read back was not the same byte for byte. */
  async function older(one: Way, raw: string, targetUid?: number): Promise<void> {
    const path = join(one.directory, 'wal.db')
    const file = databaseFiles.file(path, { ...JOURNAL_FILE, scripts: JOURNAL_FILE.scripts.slice(0, 2) })
    const { imap } = await imapAt('bob')
    const uidvalidity = Number((await imap.mailboxOpen(`way ${ways} to`)).uidValidity)
    file.all(
      `insert into transactions (tx_id, status, created_at, caller_id, operation, src_account, src_folder, src_uid,
         src_uidvalidity, dst_account, dst_folder, readable, message_id, content_hash, size, flags, received,
         fence_uidvalidity, fence_uidnext, target_uid, target_uidvalidity, source_gone, retry_count, last_error)
       values ('00000000-0000-4000-8000-000000000001', 'needs_operator', 1, 'anna', 'move', 'from', 'way ${ways} from',
         ${one.uid}, ${one.uidvalidity}, 'to', 'way ${ways} to', 1, '<old@x>', '${sha256(Buffer.from(raw))}', ${raw.length},
         '["\\\\Seen"]', ${RECEIVED}, ${uidvalidity}, 1, ${targetUid ?? 'null'}, ${uidvalidity}, 'no', 0,
         'target_append_failed') returning 1`,
    )
    file.close()
  }

  async function imapAt(user: string): Promise<Awaited<ReturnType<typeof otherClient>>> {
    const client = await otherClient(dovecot.port, user, 'pw')
    closing.push(() => client.close())
    return client
  }

  test.each([1, 2])('%i copies are there: the move ends, and nothing is sent', LONG, async (copies) => {
    const one = await open(FORMS['bare LF'], ['local', 'imap'])
    for (let count = 0; count < copies; count += 1) await one.put(FORMS['bare LF'].replaceAll('\n', '\r\n'))
    const before = one.proxy.heard().length
    await older(one, FORMS['bare LF'])
    expect(await one.retryAll()).toMatchObject({ status: 'committed' })
    expect(one.proxy.heard().slice(before)).not.toContain('APPEND')
    expect([await one.look('from'), await one.look('to')]).toMatchObject([{ length: 0 }, { length: copies }])
  })

  test('none is there: it is sent once', LONG, async () => {
    const one = await open(FORMS['bare LF'], ['local', 'imap'])
    await older(one, FORMS['bare LF'])
    expect(await one.retryAll()).toMatchObject({ status: 'committed' })
    expect([await one.look('from'), await one.look('to')]).toMatchObject([{ length: 0 }, { length: 1 }])
  })

  test('the copy was read back, and only the original is left: it is removed', LONG, async () => {
    const one = await open(FORMS['bare LF'], ['local', 'imap'])
    await one.put(FORMS['bare LF'].replaceAll('\n', '\r\n'))
    await older(one, FORMS['bare LF'], 1)
    expect(await one.retryAll()).toMatchObject({ status: 'committed', targetUid: 1 })
    expect([await one.look('from'), await one.look('to')]).toMatchObject([{ length: 0 }, { length: 1 }])
  })
})
