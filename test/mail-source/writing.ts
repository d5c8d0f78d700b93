/** The part of the contract that changes mail. */
import { describe, expect, test } from 'vitest'
import { type Bench, type Filled, never } from './bench.ts'
import { at, letter } from './messages.ts'

export function writingContract(bench: Bench): void {
  describe('flags', () => {
    test('are added and removed, keywords too', async () => {
      const filled = await bench.mailbox('flags', [{ raw: letter({}), flags: ['\\Seen'] }])
      const [uid = 0] = filled.uids
      await bench.source.changeFlags(filled, uid, 'add', bench.kept(['\\Flagged', 'todo']), never())
      await bench.source.changeFlags(filled, uid, 'remove', ['\\Seen'], never())
      expect(await flagsOf(bench, filled, uid)).toEqual(bench.kept(['\\Flagged', 'todo']))
    })

    test('that the server cannot keep are unsupported, and nothing is changed', async () => {
      const filled = await bench.mailbox('kept flags', [{ raw: letter({}) }])
      const [uid = 0] = filled.uids
      for (const flag of ['todo', '\\Answered']) {
        const adding = bench.source.changeFlags(filled, uid, 'add', ['\\Flagged', flag], never())
        if (bench.kept([flag]).length === 1) await adding
        else await expect(adding).rejects.toMatchObject({ code: 'unsupported' })
      }
      const all = ['\\Answered', '\\Flagged', 'todo']
      expect(await flagsOf(bench, filled, uid)).toEqual(bench.kept(all).length < 3 ? [] : all)
    })

    test('that are there already, or not there, change nothing', async () => {
      const filled = await bench.mailbox('same flags', [{ raw: letter({}), flags: ['\\Seen'] }])
      const [uid = 0] = filled.uids
      await bench.source.changeFlags(filled, uid, 'add', ['\\Seen'], never())
      await bench.source.changeFlags(filled, uid, 'remove', ['\\Answered'], never())
      expect(await flagsOf(bench, filled, uid)).toEqual(['\\Seen'])
    })

    test.each(['two words', 'a\r\nb', '\\Recent', 'paren(', '"q"', '{5}', '', 'a]', 'ü'])(
      '%j is refused as a flag',
      async (flag) => {
        const filled = await bench.mailbox('odd flags', [{ raw: letter({}) }])
        const write = bench.source.changeFlags(filled, filled.uids[0] ?? 0, 'add', [flag], never())
        await expect(write).rejects.toMatchObject({ code: 'invalid_input' })
      },
    )
  })

  describe('copy and move', () => {
    test('a copy keeps flags, received time and bytes, and the original stays', async () => {
      const raw = letter({ subject: 'to be copied' })
      const received = at('2023-03-04T05:06:07Z')
      const from = await bench.mailbox('copy from', [{ raw, received, flags: ['\\Flagged'] }])
      const to = await bench.mailbox('copy "to" ü', [])
      const placed = await bench.source.copy(from, from.uids[0] ?? 0, to.mailbox, never())
      const uid = await newest(bench, to.mailbox)
      if (placed !== undefined) expect(placed).toEqual({ uid, uidvalidity: to.uidvalidity })
      const [summary] = await bench.source.summaries(to, [uid], 0, never())
      expect(summary).toMatchObject({ received, size: Buffer.byteLength(raw) })
      expect(await flagsOf(bench, to, uid)).toEqual(['\\Flagged'])
      expect((await bench.source.raw(from, from.uids[0] ?? 0, 9999, never())).size).toBe(Buffer.byteLength(raw))
    })

    test('a move takes the message out of the source', async () => {
      const { move } = await bench.source.abilities(never())
      const from = await bench.mailbox('move from', [{ raw: letter({}) }, { raw: letter({ subject: 'stays' }) }])
      const to = await bench.mailbox('move to', [])
      const moving = bench.source.move(from, from.uids[0] ?? 0, to.mailbox, never())
      if (!move) return expect(moving).rejects.toMatchObject({ code: 'unsupported' })
      const placed = await moving
      const uid = await newest(bench, to.mailbox)
      if (placed !== undefined) expect(placed).toEqual({ uid, uidvalidity: to.uidvalidity })
      const left = await bench.source.find(from.mailbox, { criteria: {}, take: 9 }, never())
      expect(left.uids).toEqual([from.uids[1]])
    })

    test('a missing destination is not_found and changes nothing', async () => {
      const from = await bench.mailbox('stay', [{ raw: letter({}) }])
      const [uid = 0] = from.uids
      await expect(bench.source.copy(from, uid, 'no such place', never())).rejects.toMatchObject({ code: 'not_found' })
      if ((await bench.source.abilities(never())).move) {
        await expect(bench.source.move(from, uid, 'no such place', never())).rejects.toMatchObject({
          code: 'not_found',
        })
      }
      expect(await newest(bench, from.mailbox)).toBe(uid)
    })
  })

  describe('expunge', () => {
    test("removes that message alone, and nobody else's deleted ones", async () => {
      const { expungeByUid } = await bench.source.abilities(never())
      const deleted = { raw: letter({}), flags: ['\\Deleted'] }
      const filled = await bench.mailbox('expunge', [deleted, { raw: letter({}) }, deleted])
      const [theirs = 0, ours = 0, alsoTheirs = 0] = filled.uids
      await bench.source.changeFlags(filled, ours, 'add', ['\\Deleted'], never())
      const removing = bench.source.expunge(filled, ours, never())
      if (!expungeByUid) await expect(removing).rejects.toMatchObject({ code: 'unsupported' })
      else await removing
      await bench.source.find('INBOX', { criteria: {}, take: 1 }, never())
      const left = await bench.source.find(filled.mailbox, { criteria: {}, take: 9 }, never())
      expect([...left.uids].sort((a, b) => a - b)).toEqual(
        expungeByUid ? [theirs, alsoTheirs] : [theirs, ours, alsoTheirs],
      )
    })
  })

  describe('append', () => {
    test('stores the bytes with flags and received time', async () => {
      const to = await bench.mailbox('append "here" &', [])
      const bytes = Buffer.from(letter({ subject: 'appended', body: 'ümlaut'.repeat(2000) }))
      const received = at('2022-02-02T02:02:02Z')
      const placed = await bench.source.append(to.mailbox, { bytes, flags: ['\\Seen', 'kept'], received }, never())
      const uid = await newest(bench, to.mailbox)
      if (placed !== undefined) expect(placed).toEqual({ uid, uidvalidity: to.uidvalidity })
      expect(Buffer.from((await bench.source.raw(to, uid, 100_000, never())).bytes).equals(bytes)).toBe(true)
      expect(await flagsOf(bench, to, uid)).toEqual(bench.kept(['\\Seen', 'kept']))
      const [summary] = await bench.source.summaries(to, [uid], 0, never())
      expect(summary?.received).toBe(received)
    })

    test('to a missing mailbox is not_found', async () => {
      const message = { bytes: Buffer.from(letter({})), flags: [] }
      await expect(bench.source.append('not there', message, never())).rejects.toMatchObject({ code: 'not_found' })
    })
  })

  describe('every write', () => {
    test('under another uidvalidity is a conflict and changes nothing', async () => {
      const filled = await bench.mailbox('stale write', [{ raw: letter({}) }])
      const [uid = 0] = filled.uids
      const stale = { ...filled, uidvalidity: filled.uidvalidity + 1 }
      for (const write of await writes(bench, stale, uid))
        await expect(write()).rejects.toMatchObject({ code: 'conflict' })
      expect(await flagsOf(bench, filled, uid)).toEqual([])
      expect(await newest(bench, filled.mailbox)).toBe(uid)
    })

    test('is seen by every later call, however many ran before', async () => {
      const filled = await bench.mailbox('seen at once', [{ raw: letter({}) }, { raw: letter({}) }])
      const [uid = 0, gone = 0] = filled.uids
      await together(8, () => bench.source.summaries(filled, [uid, gone], 0, never()))
      await bench.source.changeFlags(filled, uid, 'add', ['\\Flagged'], never())
      await bench.vanish(filled.mailbox, gone)
      const flags = await together(8, () => flagsOf(bench, filled, uid))
      expect(flags).toEqual(Array.from({ length: 8 }, () => ['\\Flagged']))
      const listed = await together(8, () => bench.source.find(filled.mailbox, { criteria: {}, take: 5 }, never()))
      expect(listed.map(({ uids }) => uids)).toEqual(Array.from({ length: 8 }, () => [uid]))
    })

    test('of a uid that is not there is not_found', async () => {
      const filled = await bench.mailbox('missing write', [{ raw: letter({}) }])
      const uid = (filled.uids[0] ?? 0) + 500
      for (const write of await writes(bench, filled, uid))
        await expect(write()).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}

async function writes(bench: Bench, filled: Filled, uid: number): Promise<(() => Promise<unknown>)[]> {
  const { source } = bench
  const { move, expungeByUid } = await source.abilities(never())
  return [
    () => source.changeFlags(filled, uid, 'add', ['\\Seen'], never()),
    () => source.copy(filled, uid, 'INBOX', never()),
    ...(move ? [() => source.move(filled, uid, 'INBOX', never())] : []),
    ...(expungeByUid ? [() => source.expunge(filled, uid, never())] : []),
  ]
}

function together<T>(count: number, call: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, call))
}

async function flagsOf(bench: Bench, filled: Filled, uid: number): Promise<string[]> {
  const flags = await bench.source.flags(filled, uid, never())
  return flags.filter((flag) => flag !== '\\Recent').sort()
}

async function newest(bench: Bench, mailbox: string): Promise<number> {
  const { uids } = await bench.source.find(mailbox, { criteria: {}, take: 1 }, never())
  return uids[0] ?? 0
}
