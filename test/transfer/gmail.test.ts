/** Transfers to and from an account whose folders are labels. */

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { sha256 } from '../../src/adapters/seal/digest.ts'
import { createSpool } from '../../src/adapters/spool/spool.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { isFinal } from '../../src/core/transfer/machine.ts'
import type { Operation, Transfer } from '../../src/core/transfer/transfer.ts'
import { type Account, Accounts } from '../../src/engine/accounts/accounts.ts'
import { Transfers } from '../../src/engine/transfer/transfers.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { accountOptions } from '../gmail/desk.ts'
import { type Gmail, startGmail } from '../gmail/server.ts'
import type { GmailStore, Message } from '../gmail/store.ts'
import { at, letter } from '../mail-source/messages.ts'
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts'

const RECEIVED = at('2020-02-03T04:05:06Z')
const RAW = letter({ subject: 'carried', messageId: '<carried@example.org>' })

interface Side {
  readonly gmail: Gmail
  readonly store: GmailStore
  readonly proxy: FaultProxy
  readonly account: Account
}

let sides: Readonly<Record<'from' | 'to', Side>>
let transfers: Transfers
let accounts: Accounts
let directory: string

async function startSide(id: 'from' | 'to'): Promise<Side> {
  const gmail = await startGmail({ labels: ['Work', 'Later'], language: id === 'from' ? 'de' : 'en' })
  const proxy = await startFaultProxy(gmail.port)
  const source = createImapSource(
    { ...accountOptions({ host: '127.0.0.1', port: proxy.port }), account: id },
    silentLog,
  )
  const told = { id, host: '127.0.0.1', port: proxy.port, secure: false, provider: 'google' } as const
  return { gmail, store: gmail.account().store, proxy, account: { ...told, source, google: source } }
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pg-'))
  sides = { from: await startSide('from'), to: await startSide('to') }
  accounts = new Accounts([sides.from.account, sides.to.account])
  transfers = new Transfers({
    accounts,
    journal: createJournal({ path: join(directory, 'journal.sqlite'), locks: fileLocks, databases: databaseFiles }),
    spool: createSpool({ directory: join(directory, 'spool') }),
    clock: systemClock,
    audit: { append: async () => ({ seq: 0 }), close: async () => undefined },
    log: silentLog,
    digest: sha256,
    newId: randomUUID,
    retryLimit: 4,
    backOffMs: [20, 60],
    settleMs: 100,
  })
})
afterEach(async () => {
  await transfers.close()
  await accounts.close()
  for (const { proxy, gmail } of Object.values(sides)) {
    await proxy.close()
    await gmail.stop()
  }
  await rm(directory, { recursive: true, force: true })
})

async function carried(operation: Operation, from: string, messages: readonly Message[]): Promise<readonly Transfer[]> {
  const mailbox = sides.from.store.mailbox(from)
  const uids = messages.map(({ msgid }) => mailbox?.uidOf(msgid) ?? 0)
  const order = {
    ...{ callerId: 'anna', operation, uids, readable: new Set<number>() },
    from: { account: 'from', mailbox: from, uidvalidity: mailbox?.uidvalidity ?? 0 },
    to: { account: 'to', mailbox: 'Work' },
  }
  const begun = await accounts.reading((book) => transfers.carry(order, book, new AbortController().signal))
  const now = async (): Promise<readonly (Transfer | undefined)[]> =>
    Promise.all(begun.map(({ txId }) => transfers.find(txId)))
  await expect.poll(async () => (await now()).every((one) => one !== undefined && isFinal(one))).toBe(true)
  return (await now()) as readonly Transfer[]
}

function post(subject: string, ...labels: readonly string[]): Message {
  const raw = letter({ subject, messageId: `<${subject}@example.org>` })
  return sides.from.store.add({ raw, labels, flags: ['\\Seen'], received: RECEIVED })
}

function arrivals(): readonly (readonly unknown[])[] {
  return sides.to.store
    .messages()
    .map(({ raw, labels, received, flags }) => [raw.toString(), [...labels], received, [...flags]])
}

const labelsOf = ({ msgid }: Message): readonly string[] => [...(sides.from.store.message(msgid)?.labels ?? [])]

test('a move reads All Mail, and leaves the original in the bin, under no other label', async () => {
  const message = post('carried', '\\Inbox', 'Work')
  const ended = await carried('move', 'Work', [message])
  expect(ended).toMatchObject([{ status: 'committed', sourceGone: 'yes' }])
  expect(arrivals()).toEqual([[RAW, ['Work'], RECEIVED, ['\\Seen']]])
  expect(labelsOf(message)).toEqual(['\\Trash'])
  const fetches = sides.from.gmail.commands().filter((command) => /EXAMINE|SELECT|FETCH.*BODY/.test(command))
  expect(fetches.findIndex((command) => /Alle Nachrichten/.test(command))).toBeGreaterThan(-1)
})

test('a copy leaves every label', async () => {
  const message = post('carried', '\\Inbox', 'Work')
  expect(await carried('copy', 'INBOX', [message])).toMatchObject([{ status: 'committed', sourceGone: 'no' }])
  expect(labelsOf(message).toSorted()).toEqual(['Work', '\\Inbox'])
  expect(arrivals()).toHaveLength(1)
})

test('what is in Spam, and so not in All Mail, is carried too', async () => {
  const message = post('carried', '\\Spam')
  expect(await carried('move', sides.from.store.names.spam, [message])).toMatchObject([{ status: 'committed' }])
  expect(arrivals()).toHaveLength(1)
  expect(labelsOf(message)).not.toContain('\\Spam')
})

describe.each<Fault['kind'] & ('reset' | 'lose' | 'cut')>(['reset', 'lose', 'cut'])('a %s', (kind) => {
  test.each([
    ['to', 'EXAMINE'],
    ['to', 'APPEND'],
    ['to', 'UID FETCH'],
    ['from', 'EXAMINE'],
    ['from', 'UID FETCH'],
    ['from', 'SELECT'],
    ['from', 'UID STORE'],
  ] as const)('at the account it goes %s, at %s: each message is there once', async (side, name) => {
    const messages = [post('one', 'Work'), post('two', 'Work', 'Later'), post('three', 'Work')]
    sides[side].proxy.plan({ at: (heard) => heard.name === name, fault: { kind } })
    const ended = await carried('move', 'Work', messages)
    expect(sides[side].proxy.struck()).toBe(1)
    expect(ended.map(({ status }) => status)).toEqual(['committed', 'committed', 'committed'])
    expect(
      arrivals()
        .map(([raw]) => raw)
        .toSorted(),
    ).toEqual(messages.map(({ raw }) => raw.toString()).toSorted())
    expect(messages.map(labelsOf)).toEqual([['\\Trash'], ['\\Trash'], ['\\Trash']])
  })
})
