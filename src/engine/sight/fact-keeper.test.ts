import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Traits } from '../../core/message.ts'
import { parseHeader } from '../../core/mime/header.ts'
import type { FactSource, Facts } from '../../core/policy/facts.ts'
import type { MailSource, TraitsWanted } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { FactKeeper } from './fact-keeper.ts'

const NEVER = new AbortController().signal
const SENDERS = { sources: new Set<FactSource>(['senders']), flags: false }
const LISTED = Array.from({ length: 1900 }, (_, index) => `person${index}@a-domain.example`).join(', ')
const FIFTY = `From: ${LISTED.split(', ').slice(0, 50).join(', ')}\r\n`

interface Asked {
  readonly uids: readonly number[]
  readonly wanted: TraitsWanted
}

/** An account whose every message has this header, and what it was asked. */
function accountOf(header: (uid: number) => string): { readonly account: Account; readonly asked: Asked[] } {
  const asked: Asked[] = []
  const traits: MailSource['traits'] = async (_at, uids, wanted) => {
    asked.push({ uids, wanted })
    return uids.map((uid): Traits => {
      const cut = wanted.shortHeadersOnly === true && header(uid).length > 16_384
      const fields = cut ? [] : parseHeader(new TextEncoder().encode(header(uid)))
      return { uid, received: 1, size: 2, flags: [], header: fields, headerCut: cut, structure: undefined }
    })
  }
  return { account: { id: 'a', source: { traits } } as unknown as Account, asked }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

async function look(
  keeper: FactKeeper,
  account: Account,
  mailbox: string,
  uids: readonly number[],
  signal = NEVER,
): Promise<Map<number, Facts>> {
  const told = new Map<number, Facts>()
  const at = { mailbox, uidvalidity: 1 }
  await keeper.each(account, at, uids, SENDERS, signal, (uid, facts) => told.set(uid, facts))
  return told
}

test('what is known is not asked for again', async () => {
  const { account, asked } = accountOf((uid) => `From: p${uid}@b.example\r\n`)
  const keeper = new FactKeeper()
  expect((await look(keeper, account, 'A', upTo(2500))).get(7)?.from).toEqual(['p7@b.example'])
  expect(asked.map(({ uids }) => uids.length)).toEqual([1000, 1000, 500])
  expect(asked[0]?.wanted.fields).toEqual(['From'])
  const again = await look(keeper, account, 'A', upTo(2501))
  expect([again.size, again.get(7)?.from]).toEqual([2501, ['p7@b.example']])
  expect(asked.slice(3).map(({ uids }) => uids)).toEqual([[2501]])
})

test('long headers are asked for a few at a time', async () => {
  const { account, asked } = accountOf((uid) => (uid % 2 === 0 ? `From: ${LISTED}\r\n` : 'From: a@b\r\n'))
  const told = await look(new FactKeeper(), account, 'A', upTo(100))
  expect([told.size, told.get(1)?.from?.length, told.get(2)?.from?.length]).toEqual([100, 1, 1900])
  expect(asked.map(({ uids }) => uids.length)).toEqual([100, 16, 16, 16, 2])
})

test('others have their turn meanwhile, and the work ends when it is given up', async () => {
  const { account } = accountOf(() => `From: ${LISTED}\r\n`)
  const stop = new AbortController()
  let turns = 0
  let working = true
  const count = (): void => {
    turns += 1
    if (turns === 100) stop.abort(new Error('given up'))
    if (working) setImmediate(count)
  }
  setImmediate(count)
  const all = look(new FactKeeper(), account, 'A', upTo(100_000), stop.signal).finally(() => {
    working = false
  })
  await expect(all).rejects.toThrow('given up')
  expect(turns).toBeGreaterThanOrEqual(100)
})

test('what would take too much memory is told and not remembered', async () => {
  // About 6 kB for each message, as the keeper counts.
  const { account, asked } = accountOf(() => FIFTY)
  const keeper = new FactKeeper(1_000_000)
  const uids = upTo(600)
  expect((await look(keeper, account, 'A', uids)).size).toBe(600)
  asked.length = 0
  const again = await look(keeper, account, 'A', uids)
  expect([...again.values()].filter(({ from }) => from?.length === 50)).toHaveLength(600)
  const kept = 600 - (asked[0]?.uids.length ?? 0)
  expect(kept).toBeGreaterThan(100)
  expect(kept).toBeLessThan(300)
})

test('the mailbox unused longest makes room', async () => {
  const { account, asked } = accountOf(() => FIFTY)
  const keeper = new FactKeeper(1_000_000)
  for (const mailbox of ['A', 'B', 'A', 'C']) await look(keeper, account, mailbox, upTo(90))
  asked.length = 0
  await look(keeper, account, 'A', upTo(90))
  expect(asked).toEqual([])
  await look(keeper, account, 'B', upTo(90))
  expect(asked[0]?.uids.length).toBe(90)
})

test('what is remembered keeps no header alive', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const filler = `X-Filler: ${'x'.repeat(16_000)}\r\n`
  const { account, asked } = accountOf((uid) => `To: <somebody-with-a-name-${uid}@a-domain.example>\r\n${filler}`)
  const keeper = new FactKeeper()
  await look(keeper, account, 'warm', upTo(10))
  asked.length = 0
  collect()
  const before = process.memoryUsage().heapUsed
  // Headers of 80 MB altogether.
  const recipients = { sources: new Set<FactSource>(['recipients']), flags: false }
  const at = { mailbox: 'A', uidvalidity: 1 }
  await keeper.each(account, at, upTo(5000), recipients, NEVER, () => undefined)
  asked.length = 0
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(16_000_000)
  let told = 0
  await keeper.each(account, at, upTo(5000), recipients, NEVER, (_uid, { to }) => {
    told += to?.length ?? 0
  })
  expect([told, asked]).toEqual([5000, []])
})
