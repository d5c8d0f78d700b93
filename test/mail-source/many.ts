/** The part of the contract that handles many messages at once. */
import { describe, expect, test } from 'vitest'
import type { Appended, NewMessage, Placed } from '../../src/ports/mail-source.ts'
import { type Bench, type Filled, never } from './bench.ts'
import { at, letter, MIXED } from './messages.ts'

const RECEIVED = at('2021-06-07T08:09:10Z')
const NOWHERE = { mailbox: 'nowhere at all', uidvalidity: 1 }

export function manyContract(bench: Bench): void {
  fenceContract(bench)
  rawManyContract(bench)
  appendEachContract(bench)
  removeManyContract(bench)
}

function fenceContract(bench: Bench): void {
  describe('fence', () => {
    test('lies behind every message that is there, and before every one that comes', async () => {
      const filled = await bench.mailbox('fence', [{ raw: letter({}) }, { raw: letter({}) }])
      const first = await bench.source.fence(filled.mailbox, never())
      expect(first.uidvalidity).toBe(filled.uidvalidity)
      expect(first.uid).toBeGreaterThan(Math.max(...filled.uids))
      const [uid = 0] = await bench.seed(filled.mailbox, [{ raw: letter({}) }])
      expect(uid).toBeGreaterThanOrEqual(first.uid)
      const second = await bench.source.fence(filled.mailbox, never())
      expect(second.uid).toBeGreaterThan(uid)
    })

    test('of an empty mailbox is there too', async () => {
      const { mailbox, uidvalidity } = await bench.mailbox('empty fence "ü"', [])
      const fence = await bench.source.fence(mailbox, never())
      expect(fence.uidvalidity).toBe(uidvalidity)
      expect(fence.uid).toBeGreaterThanOrEqual(1)
    })

    test('is not lowered by what vanished', async () => {
      const filled = await bench.mailbox('gone fence', [{ raw: letter({}) }, { raw: letter({}) }])
      const before = await bench.source.fence(filled.mailbox, never())
      await bench.vanish(filled.mailbox, filled.uids[1] ?? 0)
      expect(await bench.source.fence(filled.mailbox, never())).toEqual(before)
    })

    test('of a mailbox that is not there is not_found', async () => {
      await expect(bench.source.fence(NOWHERE.mailbox, never())).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}

function rawManyContract(bench: Bench): void {
  describe('rawMany', () => {
    const odd = Buffer.concat([Buffer.from(letter({})), Buffer.from([0xff, 0xfe, 0x80, 13, 10])])
    const long = Buffer.from(letter({ body: `${'y'.repeat(998)}\r\n`.repeat(300) }))

    test('gives each byte for byte, with flags and received time, in the order asked for', async () => {
      const filled = await bench.mailbox('many raw', [
        { raw: odd, flags: ['\\Flagged', 'kept'], received: RECEIVED },
        { raw: MIXED },
        { raw: long, flags: ['\\Seen'] },
      ])
      const [first = 0, second = 0, third = 0] = filled.uids
      const whole = await bench.source.rawMany(filled, [third, first, second], long.length, never())
      expect(whole.map(({ uid }) => uid)).toEqual([third, first, second])
      expect(whole.map(({ bytes }, index) => same(bytes, [long, odd, Buffer.from(MIXED)][index]))).toEqual([
        true,
        true,
        true,
      ])
      expect(whole.map(({ flags }) => [...flags].sort())).toEqual([['\\Seen'], bench.kept(['\\Flagged', 'kept']), []])
      expect(whole[1]?.received).toBe(RECEIVED)
      expect(await bench.source.flags(filled, second, never())).not.toContain('\\Seen')
    })

    test('sees flags of this moment, and leaves out what is not there', async () => {
      const filled = await bench.mailbox('fresh raw', [{ raw: letter({}) }, { raw: letter({}) }])
      const [uid = 0, gone = 0] = filled.uids
      expect(await bench.source.rawMany(filled, [uid, gone], 9999, never())).toHaveLength(2)
      await bench.source.changeFlags(filled, uid, 'add', ['\\Flagged'], never())
      await bench.vanish(filled.mailbox, gone)
      const whole = await bench.source.rawMany(filled, [gone, uid, uid + 500], 9999, never())
      expect(whole.map((message) => [message.uid, message.flags])).toEqual([[uid, ['\\Flagged']]])
      expect(await bench.source.rawMany(filled, [], 9999, never())).toEqual([])
    })

    test('where one is larger than asked for is too_large, and not where it just fits', async () => {
      const filled = await bench.mailbox('large raw', [{ raw: letter({}) }, { raw: long }])
      const few = bench.source.rawMany(filled, filled.uids, long.length - 1, never())
      await expect(few).rejects.toMatchObject({ code: 'too_large', details: { uid: filled.uids[1] } })
      expect(await bench.source.rawMany(filled, filled.uids, long.length, never())).toHaveLength(2)
    })

    test('under another uidvalidity is a conflict, elsewhere not_found', async () => {
      const filled = await bench.mailbox('stale raw', [{ raw: letter({}) }])
      const stale = { ...filled, uidvalidity: filled.uidvalidity + 1 }
      const read = bench.source.rawMany(stale, filled.uids, 9999, never())
      await expect(read).rejects.toMatchObject({ code: 'conflict' })
      await expect(bench.source.rawMany(NOWHERE, [1], 9, never())).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}

function appendEachContract(bench: Bench): void {
  describe('appendEach', () => {
    test('stores each with its bytes, flags and received time, and says where', async () => {
      const to = await bench.mailbox('each "here" &', [])
      const messages = Array.from({ length: 40 }, (_, index) => newMessage(index))
      const fence = await bench.source.fence(to.mailbox, never())
      const endings = await bench.source.appendEach(to.mailbox, messages, never())
      expect(endings.map(({ kind }) => kind)).toEqual(messages.map(() => 'done'))
      const uids = await ascending(bench, to)
      expect(uids).toHaveLength(messages.length)
      expect(Math.min(...uids)).toBeGreaterThanOrEqual(fence.uid)
      for (const [index, placed] of endings.map(placeOf).entries()) {
        if (placed !== undefined) expect(placed).toEqual({ uidvalidity: to.uidvalidity, uid: uids[index] })
      }
      const stored = await bench.source.rawMany(to, uids, 1_000_000, never())
      expect(stored.map(({ bytes }, index) => same(bytes, messages[index]?.bytes))).toEqual(messages.map(() => true))
      expect(stored.map(({ received }) => received)).toEqual(messages.map(({ received }) => received))
      expect(stored.map(({ flags }) => [...flags].sort())).toEqual(
        messages.map(({ flags }) => bench.kept(flags).sort()),
      )
    })

    test('one that cannot be stored is refused, and the others are stored', async () => {
      const to = await bench.mailbox('each but one', [])
      const bad = { bytes: Buffer.from(letter({})), flags: ['two words'] }
      const endings = await bench.source.appendEach(to.mailbox, [newMessage(0), bad, newMessage(1)], never())
      expect(endings.map(({ kind }) => kind)).toEqual(['done', 'refused', 'done'])
      expect(failureOf(endings[1])).toMatchObject({ code: 'invalid_input' })
      expect(await ascending(bench, to)).toHaveLength(2)
    })

    test('to a mailbox that is not there refuses each as not_found', async () => {
      const endings = await bench.source.appendEach('not there', [newMessage(0), newMessage(1)], never())
      expect(endings.map(({ kind }) => kind)).toEqual(['refused', 'refused'])
      for (const ending of endings) expect(failureOf(ending)).toMatchObject({ code: 'not_found', stage: 'append' })
    })

    test('of nothing is nothing', async () => {
      const to = await bench.mailbox('none', [])
      expect(await bench.source.appendEach(to.mailbox, [], never())).toEqual([])
    })

    test('that was aborted before is cancelled and stores nothing', async () => {
      const to = await bench.mailbox('each aborted', [])
      const writing = bench.source.appendEach(to.mailbox, [newMessage(0)], AbortSignal.abort())
      await expect(writing).rejects.toMatchObject({ code: 'cancelled' })
      expect(await ascending(bench, to)).toEqual([])
    })
  })
}

function removeManyContract(bench: Bench): void {
  describe('removeMany', () => {
    test("removes these alone, and nobody else's deleted ones", async () => {
      const { expungeByUid } = await bench.source.abilities(never())
      const deleted = { raw: letter({}), flags: ['\\Deleted'] }
      const plain = { raw: letter({}) }
      const filled = await bench.mailbox('remove', [plain])
      const [gone = 0] = filled.uids
      await bench.vanish(filled.mailbox, gone)
      const uids = await bench.seed(filled.mailbox, [deleted, plain, plain, deleted, plain])
      const [theirs = 0, one = 0, stays = 0, alsoTheirs = 0, two = 0] = uids
      const how = await bench.source.removeMany(filled, [two, gone, one, one + 500], never())
      expect(how).toBe(expungeByUid ? 'expunged' : 'flagged')
      await bench.source.find('INBOX', { criteria: {}, take: 1 }, never())
      const left = await ascending(bench, filled)
      expect(left).toEqual(expungeByUid ? [theirs, stays, alsoTheirs] : [theirs, one, stays, alsoTheirs, two])
      expect(await bench.source.flags(filled, stays, never())).not.toContain('\\Deleted')
      if (!expungeByUid) expect(await bench.source.flags(filled, one, never())).toContain('\\Deleted')
    })

    test('of what is not there any more is no failure', async () => {
      const { expungeByUid } = await bench.source.abilities(never())
      const filled = await bench.mailbox('remove twice', [{ raw: letter({}) }, { raw: letter({}) }])
      const [uid = 0, stays = 0] = filled.uids
      await bench.vanish(filled.mailbox, uid)
      const how = await bench.source.removeMany(filled, [uid], never())
      expect(how).toBe(expungeByUid ? 'expunged' : 'flagged')
      expect(await ascending(bench, filled)).toEqual([stays])
    })

    test('under another uidvalidity is a conflict and removes nothing; elsewhere it is not_found', async () => {
      const filled = await bench.mailbox('stale remove', [{ raw: letter({}) }])
      const stale = { ...filled, uidvalidity: filled.uidvalidity + 1 }
      const removing = bench.source.removeMany(stale, filled.uids, never())
      await expect(removing).rejects.toMatchObject({ code: 'conflict' })
      expect(await ascending(bench, filled)).toEqual(filled.uids)
      expect(await bench.source.flags(filled, filled.uids[0] ?? 0, never())).not.toContain('\\Deleted')
      await expect(bench.source.removeMany(NOWHERE, [1], never())).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}

/** Short and long ones, some with more than one kind of byte in them. */
function newMessage(index: number): NewMessage & { readonly received: number } {
  const body = `${'ümlaut 受信 '.repeat((index % 5) * 400)}\r\nnumber ${index}`
  const flags = [[], ['\\Seen'], ['\\Flagged', 'kept'], ['\\Answered', '\\Draft']][index % 4] ?? []
  return { bytes: Buffer.from(letter({ subject: `number ${index}`, body })), flags, received: RECEIVED + index }
}

function placeOf(ending: Appended): Placed | undefined {
  return ending.kind === 'done' ? ending.placed : undefined
}

function failureOf(ending: Appended | undefined): unknown {
  return ending === undefined || ending.kind === 'done' ? undefined : ending.failure
}

async function ascending(bench: Bench, { mailbox }: Pick<Filled, 'mailbox'>): Promise<number[]> {
  const { uids } = await bench.source.find(mailbox, { criteria: {}, take: 100 }, never())
  return uids.toSorted((a, b) => a - b)
}

function same(bytes: Uint8Array, expected: Uint8Array | undefined): boolean {
  return expected !== undefined && Buffer.from(bytes).equals(expected)
}
