/** Small mails whose structure takes megabytes to tell: what they spoil for the others, which is nothing. */
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { startDesk, USER } from './desk.ts'

const WANTED = { fields: ['Subject'], structure: true }
const LETTER = { raw: letter({ subject: 'harmless' }) }
let BOMB: { raw: string }
beforeAll(() => {
  const head = 'From: e@evil.example\r\nSubject: bomb\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n'
  BOMB = { raw: `${head}From: ${'a,'.repeat(70_000)}\r\nSubject: x\r\n\r\nhi\r\n` }
})

async function start(count: number, isBomb: (index: number) => boolean) {
  const desk = await startDesk()
  onTestFinished(() => desk.stop())
  const mails = Array.from({ length: count }, (_, index) => (isBomb(index) ? BOMB : LETTER))
  await desk.dovecot.deliver(USER, 'INBOX', mails)
  const { uids, uidvalidity } = await desk.source.find('INBOX', { criteria: {}, take: count }, never())
  return { ...desk, at: { mailbox: 'INBOX', uidvalidity }, uids: [...uids].sort((a, b) => a - b) }
}

test('the structure of one is unknown, and all else is told of it and of its neighbours', async () => {
  const { source, at, uids, proxy } = await start(60, (index) => index === 37)
  const traits = await source.traits(at, uids, WANTED, never())
  expect(traits.map(({ uid }) => uid)).toEqual(uids)
  expect(traits.flatMap(({ structure }, index) => (structure === undefined ? [index] : []))).toEqual([37])
  expect(traits.map(({ header }) => header[0]?.value)).toEqual(
    uids.map((_, index) => (index === 37 ? 'bomb' : 'harmless')),
  )
  // From then on it is known which one it is.
  proxy.reset()
  expect(await source.traits(at, uids, WANTED, never())).toEqual(traits)
  expect(proxy.roundTrips()).toBe(2)
  expect(proxy.sent()).not.toContain('LOGIN')
})

test('several, first and last among them, are found in one call', async () => {
  const bombs = [0, 3, 4, 19]
  const { source, at, uids } = await start(20, (index) => bombs.includes(index))
  const traits = await source.traits(at, [...uids].reverse(), WANTED, never())
  expect(traits.map(({ uid }) => uid)).toEqual([...uids].reverse())
  expect(traits.flatMap(({ uid, structure }) => (structure ? [] : [uids.indexOf(uid)])).reverse()).toEqual(bombs)
})

test('a folder of nothing else is told too, in a bounded number of attempts', async () => {
  const { source, at, uids, proxy } = await start(40, () => true)
  proxy.reset()
  const traits = await source.traits(at, uids, WANTED, never())
  expect(traits.map(({ uid, structure }) => [uid, structure])).toEqual(uids.map((uid) => [uid, undefined]))
  expect(proxy.sent().split('BODYSTRUCTURE').length - 1).toBeLessThanOrEqual(24)
})

test('opening one says that it is too large, once and for all; its neighbours open', async () => {
  const { source, at, uids } = await start(2, (index) => index === 0)
  const [bomb = 0, harmless = 0] = uids
  await expect(source.open(at, bomb, never())).rejects.toMatchObject({
    code: 'too_large',
    retryable: false,
    stage: 'fetch',
  })
  expect((await source.open(at, harmless, never())).structure.type).toBe('text/plain')
  expect((await source.raw(at, bomb, 10, never())).bytes).toHaveLength(10)
})
