/** How often each call crosses the wire on an open connection. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { never } from '../mail-source/bench.ts'
import { at, letter, MIXED } from '../mail-source/messages.ts'
import { type Desk, startDesk } from './desk.ts'
import { capabilityWithout } from './dovecot.ts'

const BOX = 'round trips'
const MANY = Array.from({ length: 60 }, (_, index) => ({
  raw: letter({ subject: `Grüße ${index}` }),
  received: at('2024-01-01T12:00:00Z') + index,
}))

describe.each([
  ['with SORT', undefined, 1],
  ['without SORT', capabilityWithout('SORT', 'SORT=DISPLAY', 'ESORT'), 2],
])('a server %s', (_name, capability, findTrips) => {
  let desk: Desk
  let uidvalidity: number
  let uids: readonly number[]
  beforeAll(async () => {
    desk = await startDesk(capability === undefined ? {} : { capability })
    uids = await desk.other.seed(BOX, [...MANY, { raw: MIXED, received: at('2024-02-01T12:00:00Z') }])
    await desk.other.seed('elsewhere', [])
    const found = await desk.source.find(BOX, { criteria: {}, take: 1 }, never())
    uidvalidity = found.uidvalidity
  })
  afterAll(() => desk.stop())

  const trips = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
    desk.proxy.reset()
    const result = await work()
    return [desk.proxy.roundTrips(), result]
  }
  const box = (): { mailbox: string; uidvalidity: number } => ({ mailbox: BOX, uidvalidity })
  const leave = (): Promise<unknown> => desk.source.find('elsewhere', { criteria: {}, take: 1 }, never())

  test('a page of 50 is found and listed', async () => {
    const [searching, found] = await trips(() => desk.source.find(BOX, { criteria: {}, take: 50 }, never()))
    const [listing, summaries] = await trips(() => desk.source.summaries(box(), found.uids, 500, never()))
    expect([searching, listing, summaries.length]).toEqual([findTrips, 1, 50])
  })

  test('a search for text that is not ASCII costs no more', async () => {
    const search = { criteria: { subject: 'Grüße' }, take: 5 }
    const [searching, found] = await trips(() => desk.source.find(BOX, search, never()))
    expect([searching, found.total]).toEqual([findTrips, 60])
  })

  test('days cost no more where no message is near their edges, and one more at most', async () => {
    const far = { criteria: { since: '2023-06-01', until: '2024-03-01' }, take: 5 }
    expect((await trips(() => desk.source.find(BOX, far, never())))[0]).toBe(findTrips)
    const near = { criteria: { since: '2024-01-01' }, take: 5 }
    expect((await trips(() => desk.source.find(BOX, near, never())))[0]).toBe(2)
  })

  test('a later page costs the same', async () => {
    const first = await desk.source.find(BOX, { criteria: {}, take: 5 }, never())
    const [last] = (await desk.source.summaries(box(), first.uids, 0, never())).slice(-1)
    const after = { uid: last?.uid ?? 0, received: last?.received ?? 0 }
    const [searching, page] = await trips(() => desk.source.find(BOX, { criteria: {}, after, take: 5 }, never()))
    expect([searching, page.uids.length]).toEqual([findTrips, 5])
  })

  test('open, parts, raw and flags cost one each, whether or not the mailbox is open already', async () => {
    const uid = uids.at(-1) ?? 0
    const reads: (() => Promise<unknown>)[] = [
      () => desk.source.open(box(), uid, never()),
      () => desk.source.parts(box(), uid, [{ id: '1.1', maxBytes: 100 }], never()),
      () => desk.source.raw(box(), uid, 1000, never()),
      () => desk.source.flags(box(), uid, never()),
    ]
    for (const read of reads) {
      expect((await trips(read))[0]).toBe(1)
      await leave()
      expect((await trips(read))[0]).toBe(1)
    }
  })

  test('a change costs two: look, then write', async () => {
    const [trip] = await trips(() => desk.source.changeFlags(box(), uids[0] ?? 0, 'add', ['\\Flagged'], never()))
    expect(trip).toBe(2)
  })

  test('many at once cost no more than one', async () => {
    const message = { bytes: Buffer.from(letter({})), flags: [] }
    const some = Array.from({ length: 30 }, () => message)
    const [appending, endings] = await trips(() => desk.source.appendEach('elsewhere', some, never()))
    const [fencing, { uidvalidity: there }] = await trips(() => desk.source.fence('elsewhere', never()))
    const at = { mailbox: 'elsewhere', uidvalidity: there }
    const { uids: all } = await desk.source.find('elsewhere', { criteria: {}, take: 99 }, never())
    const [reading, whole] = await trips(() => desk.source.rawMany(at, all, 10_000, never()))
    const [removing] = await trips(() => desk.source.removeMany(at, all, never()))
    expect([appending, fencing, reading, removing]).toEqual([1, 1, 1, 2])
    expect([endings.length, whole.length]).toEqual([30, 30])
  })

  test('only what is asked for crosses the wire', async () => {
    const attachment = 'A'.repeat(400_000)
    const raw = letter({ body: attachment })
    const [uid = 0] = await desk.other.seed(BOX, [{ raw }])
    desk.proxy.reset()
    await desk.source.open(box(), uid, never())
    await desk.source.parts(box(), uid, [{ id: '1', maxBytes: 100 }], never())
    expect(desk.proxy.received()).toBeLessThan(5000)
  })
})
