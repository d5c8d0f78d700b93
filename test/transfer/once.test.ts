/** A message is moved once, and its original is taken away only while its copy is there. */

import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock/system-clock.ts'
import { createJournal } from '../../src/adapters/journal/journal.ts'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createSpool } from '../../src/adapters/spool/spool.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { next } from '../../src/core/transfer/machine.ts'
import type { Transfer } from '../../src/core/transfer/transfer.ts'
import { Accounts } from '../../src/engine/accounts/accounts.ts'
import { Transfers } from '../../src/engine/transfer/transfers.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import type { Plan } from './fault-proxy.ts'
import { type Case, type CaseOptions, type Scene, type Side, startScene } from './scene.ts'

const LONG = { timeout: 300_000 }

let scene: Scene
const opened: Case[] = []
beforeAll(async () => {
  scene = await startScene()
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})
afterAll(() => scene.close())

async function open(options?: CaseOptions): Promise<Case> {
  const one = await scene.open(options)
  opened.push(one)
  return one
}

/** As long as a line of mail may be. */
const LINE = `${'y'.repeat(998)}\r\n`

const NEVER_REMOVED: Plan = {
  at: ({ name }) => name === 'UID STORE',
  fault: { kind: 'say', words: 'NO [UNAVAILABLE] later' },
  times: 99,
}

/** The copy is at its destination, and the original is still there. */
async function stuck(one: Case): Promise<Transfer> {
  one.proxies.source.plan(NEVER_REMOVED)
  const [transfer] = await one.ends(await one.go('move'))
  one.proxies.source.plan()
  expect(transfer).toMatchObject({ status: 'needs_operator', lastError: 'source_delete_failed' })
  return transfer as Transfer
}

async function copies(one: Case, side: Side, { content }: Transfer): Promise<number> {
  return (await one.lookAnew(side)).filter(({ hash }) => hash === content?.hash).length
}

/** Made anew, with so much other mail. */
async function rebuild(one: Case, others = 0): Promise<void> {
  const { imap, seed } = one.others.destination
  await imap.mailboxOpen('INBOX')
  await imap.mailboxDelete(one.mailboxes.destination)
  // Uidvalidity counts seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await imap.mailboxCreate(one.mailboxes.destination)
  await seed(
    one.mailboxes.destination,
    Array.from({ length: others }, () => ({ raw: 'Subject: other\r\n\r\nother\r\n' })),
  )
}

describe('a move that needs a person, asked for again', () => {
  test('is the same one', LONG, async () => {
    const one = await open()
    const first = await stuck(one)
    expect(await one.go('move')).toEqual([first])
    expect([await copies(one, 'source', first), await copies(one, 'destination', first)]).toEqual([1, 1])
    await one.ends([await one.transfers.retry(first.txId)])
    expect([await copies(one, 'source', first), await copies(one, 'destination', first)]).toEqual([0, 1])
  })

  test('by somebody else, or to somewhere else, is refused until it is decided', LONG, async () => {
    const one = await open()
    const first = await stuck(one)
    const go = (): Promise<readonly Transfer[]> => {
      const { callerId, operation, source: from, destination: to } = { ...first, callerId: 'berta' }
      const order = { callerId, operation, from, uids: [from.uid], to, readable: new Set<number>() }
      return one.accounts.reading((book) => one.transfers.carry(order, book, new AbortController().signal))
    }
    await expect(go()).rejects.toMatchObject({ code: 'conflict' })
    await one.transfers.abandon(first.txId)
    expect(await go()).toMatchObject([{ status: 'committed' }])
  })
})

describe('an original whose copy was read back in an earlier try', () => {
  test.each([
    ['made anew', (one: Case) => rebuild(one)],
    [
      'expunged',
      (one: Case, { targetUid = 0 }: Transfer) => one.others.destination.vanish(one.mailboxes.destination, targetUid),
    ],
  ] as const)('stays where that is %s', LONG, async (_name, work) => {
    const one = await open()
    const first = await stuck(one)
    await work(one, first)
    const [again] = await one.ends([await one.transfers.retry(first.txId)])
    expect(again).toMatchObject({ status: 'needs_operator', lastError: 'source_delete_failed' })
    expect([await copies(one, 'source', first), await copies(one, 'destination', first)]).toEqual([1, 0])
  })
})

test('a destination made anew may give a uid again that a transfer had before', LONG, async () => {
  const one = await open({ messages: 2 })
  const [before] = await one.ends(await one.go('move', one.uids.slice(0, 1)))
  const uid = before?.targetUid ?? 0
  let seen = 0
  const isFirst = ({ name }: { readonly name: string }): boolean => name === 'APPEND' && ++seen === 1
  one.proxies.destination.plan({ at: isFirst, fault: { kind: 'first', work: () => rebuild(one, uid - 1) } })
  const [after] = await one.ends(await one.go('move', one.uids.slice(1)))
  expect(after).toMatchObject({ status: 'committed', targetUid: uid })
  expect(after?.targetUidvalidity).not.toBe(after?.fence?.uidvalidity)
  expect([await copies(one, 'source', after as Transfer), await copies(one, 'destination', after as Transfer)]).toEqual(
    [0, 1],
  )
})

test(
  'one that comes to need a person while another process looks for work is free to be decided about',
  LONG,
  async () => {
    const one = await open()
    const path = join(one.directory, 'another.sqlite')
    const [theirs, ours] = [
      createJournal({ path, locks: fileLocks, databases: databaseFiles }),
      createJournal({ path, locks: fileLocks, databases: databaseFiles }),
    ]
    const [carried] = await one.go('copy')
    const transfer: Transfer = { ...(carried as Transfer), status: 'pending', content: undefined }
    await theirs.begin([transfer])
    const event = { kind: 'escalated', error: 'fetch_failed' } as const
    const meanwhile = async (): Promise<readonly Transfer[]> => {
      const found = await ours.unfinished()
      if (found.length > 0) await theirs.record([{ event, after: next(transfer, event, 3), at: 0 }])
      return found
    }
    const transfers = new Transfers({
      accounts: new Accounts([]),
      journal: { ...ours, unfinished: meanwhile },
      spool: createSpool({ directory: join(one.directory, 'another') }),
      clock: systemClock,
      audit: { append: async () => ({ seq: 0 }), close: async () => undefined },
      log: silentLog,
      digest: () => '',
      newId: () => '',
      retryLimit: 3,
    })
    await transfers.resume()
    expect(await theirs.claim([transfer.txId])).toEqual([transfer.txId])
    await theirs.close()
    await transfers.close()
  },
)

async function largeOnes(one: Case): Promise<readonly number[]> {
  const large = Array.from({ length: 6 }, (_, n) => ({ raw: `Subject: large ${n}\r\n\r\n${LINE.repeat(12_000)}` }))
  return one.others.source.seed(one.mailboxes.source, large)
}

/** How often the source is asked for something of messages while they are copied. */
async function fetchesOf(one: Case, uids: readonly number[], sizes?: ReadonlyMap<number, number>): Promise<number> {
  const before = one.proxies.source.heard().length
  const ended = await one.ends(await one.go('copy', uids, sizes))
  expect(ended.map(({ status }) => status)).toEqual(uids.map(() => 'committed'))
  const heard = one.proxies.source.heard().slice(before)
  return heard.filter((name) => name === 'UID FETCH').length
}

describe('large ones are carried a few at a time', () => {
  test('after a look at their sizes', LONG, async () => {
    const one = await open()
    // Their sizes, then no more than two of them at once.
    expect(await fetchesOf(one, await largeOnes(one))).toBe(4)
  })

  test('without one where their sizes are known', LONG, async () => {
    const one = await open()
    const uids = await largeOnes(one)
    expect(await fetchesOf(one, uids, new Map(uids.map((uid) => [uid, 12_000_000])))).toBe(3)
  })
})

test('many small ones of known sizes are fetched at once', LONG, async () => {
  const one = await open({ messages: 20 })
  expect(await fetchesOf(one, one.uids, new Map(one.uids.map((uid) => [uid, 300])))).toBe(1)
})

test('one that is known to be too large stays, and is not fetched', LONG, async () => {
  const one = await open({ messages: 2 })
  const [small = 0, huge = 0] = one.uids
  const sizes = new Map([
    [small, 300],
    [huge, 64 * 1024 * 1024 + 1],
  ])
  const ended = await one.ends(await one.go('move', one.uids, sizes))
  expect(ended).toMatchObject([{ status: 'committed' }, { status: 'aborted', lastError: 'fetch_failed' }])
  await one.check(ended)
})
