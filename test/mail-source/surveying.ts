/** The part of the contract that looks at many things at once: mailboxes and messages. */
import { describe, expect, test } from 'vitest'
import { ANY_UIDVALIDITY } from '../../src/core/message-id.ts'
import type { TraitsWanted } from '../../src/ports/mail-source.ts'
import { type Bench, never } from './bench.ts'
import { at, letter, MIXED } from './messages.ts'

const NOTHING: TraitsWanted = { fields: [], structure: false }
const SENDER: TraitsWanted = { fields: ['From'], structure: false }

export function surveyingContract(bench: Bench): void {
  describe('delimiter', () => {
    test('is the one that listings show', async () => {
      const delimiter = await bench.source.delimiter(never())
      const shown = (await bench.source.mailboxes(never())).map((mailbox) => mailbox.delimiter)
      expect(new Set(shown)).toEqual(new Set([delimiter]))
      expect(await bench.source.delimiter(never())).toBe(delimiter)
    })

    test('parts a name from the one it lies in', async () => {
      const delimiter = await bench.source.delimiter(never())
      const { mailbox } = await bench.mailbox(`above${delimiter}below`, [])
      const byName = new Map((await bench.source.mailboxes(never())).map((listed) => [listed.name, listed]))
      expect(byName.get('above')?.attributes).not.toContain('\\HasNoChildren')
      expect(byName.get(mailbox)?.selectable).toBe(true)
    })

    test('attributes are words', async () => {
      for (const { attributes } of await bench.source.mailboxes(never())) {
        expect(attributes.every((attribute) => /^\\[A-Za-z]+$/.test(attribute))).toBe(true)
      }
    })
  })

  describe('counts', () => {
    test('are in the order asked for, and none for what is not there', async () => {
      const three = await bench.mailbox('Zählung', [{ raw: letter({}) }, { raw: letter({}) }, { raw: letter({}) }])
      const none = await bench.mailbox('counted "none"', [])
      const asked = [none.mailbox, 'no such box', three.mailbox, '', 'a\r\nb', three.mailbox]
      expect(await bench.source.counts(asked, never())).toEqual([0, undefined, 3, undefined, undefined, 3])
      expect(await bench.source.counts([], never())).toEqual([])
    })

    test('follow what comes and goes', async () => {
      const { mailbox, uids } = await bench.mailbox('counted', [{ raw: letter({}) }])
      await bench.seed(mailbox, [{ raw: letter({}) }])
      expect(await bench.source.counts([mailbox], never())).toEqual([2])
      await bench.vanish(mailbox, uids[0] ?? 0)
      expect(await bench.source.counts([mailbox], never())).toEqual([1])
    })

    test('inbox is INBOX however it is written', async () => {
      const [upper, lower] = await bench.source.counts(['INBOX', 'inbox'], never())
      expect(upper).toBeTypeOf('number')
      expect(lower).toBe(upper)
    })
  })

  describe('traits', () => {
    test('hold the fields asked for and no others, in the order asked for', async () => {
      const raw = letter({ subject: 'Grüße', extra: ['X-Spam: no', 'Cc: one@example.org', 'Cc: two@example.org'] })
      const received = at('2024-02-03T04:05:06Z')
      const messages = [{ raw, received, flags: ['\\Flagged', 'urgent'] }, { raw: letter({}) }]
      const filled = await bench.mailbox('traits', messages)
      const [first = 0, second = 0] = filled.uids
      const wanted = { fields: ['from', 'CC', 'x-spam'], structure: false }
      const traits = await bench.source.traits(filled, [second, first], wanted, never())
      expect(traits.map(({ uid }) => uid)).toEqual([second, first])
      const [, one] = traits
      expect(one).toMatchObject({ received, size: Buffer.byteLength(raw), structure: undefined })
      expect([...(one?.flags ?? [])].filter((flag) => flag !== '\\Recent').sort()).toEqual(
        bench.kept(['\\Flagged', 'urgent']),
      )
      expect(one?.header).toEqual([
        { name: 'From', value: 'Ada Lovelace <ada@example.org>' },
        { name: 'X-Spam', value: 'no' },
        { name: 'Cc', value: 'one@example.org' },
        { name: 'Cc', value: 'two@example.org' },
      ])
    })

    test('leave out what is not there', async () => {
      const filled = await bench.mailbox('traits left out', [{ raw: letter({}) }, { raw: letter({}) }])
      const [gone = 0, uid = 0] = filled.uids
      await bench.vanish(filled.mailbox, gone)
      const traits = await bench.source.traits(filled, [uid + 1000, gone, uid], NOTHING, never())
      expect(traits.map((one) => [one.uid, one.header])).toEqual([[uid, []]])
      expect(await bench.source.traits(filled, [], NOTHING, never())).toEqual([])
    })

    test('tell the structure as open does, where it is asked for', async () => {
      const filled = await bench.mailbox('traits mixed', [{ raw: MIXED }, { raw: letter({}) }])
      const wanted = { fields: ['Subject'], structure: true }
      const traits = await bench.source.traits(filled, filled.uids, wanted, never())
      for (const [index, uid] of filled.uids.entries()) {
        const { structure } = await bench.source.open(filled, uid, never())
        expect(traits[index]?.structure).toEqual(structure)
      }
    })

    test('a long header is left out where only short ones are wanted', async () => {
      const to = Array.from({ length: 400 }, (_, index) => `person${index}@example.org`.padEnd(57, 'x')).join(',\r\n ')
      const filled = await bench.mailbox('traits short', [{ raw: letter({ to }) }, { raw: letter({}) }])
      const ask = (fields: readonly string[]) =>
        bench.source.traits(filled, filled.uids, { fields, structure: true, shortHeadersOnly: true }, never())
      const [long, short] = await ask(['From', 'To'])
      expect([long?.header, long?.headerCut, long?.structure?.type]).toEqual([[], true, 'text/plain'])
      expect([short?.header.length, short?.headerCut]).toEqual([2, false])
      const [other] = await ask(['From'])
      expect([other?.header.length, other?.headerCut]).toEqual([1, false])
    })

    test.each([20_000, 200_000])('a field of %i bytes comes whole', async (length) => {
      const lines = Array.from({ length: Math.ceil(length / 60) }, (_, index) =>
        `person${index}@example.org`.padEnd(57, 'x'),
      )
      const long = letter({ to: lines.join(',\r\n '), subject: 'behind it' })
      const filled = await bench.mailbox('traits long', [{ raw: letter({}) }, { raw: long }, { raw: letter({}) }])
      const wanted = { fields: ['From', 'To', 'Subject'], structure: false }
      const traits = await bench.source.traits(filled, filled.uids, wanted, never())
      const opened = await bench.source.open(filled, filled.uids[1] ?? 0, never())
      const names = new Set(['From', 'To', 'Subject'])
      expect(traits.map(({ uid }) => uid)).toEqual(filled.uids)
      expect(traits[1]?.header).toEqual(opened.header.filter(({ name }) => names.has(name)))
      expect(traits[1]?.header.map(({ value }) => value.length > length * 0.9)).toEqual([false, true, false])
    })

    test('the same message asked for twice is told twice', async () => {
      const filled = await bench.mailbox('traits twice', [{ raw: letter({}) }])
      const [uid = 0] = filled.uids
      expect((await bench.source.traits(filled, [uid, uid], SENDER, never())).map((one) => one.uid)).toEqual([uid, uid])
    })

    test('of an old uidvalidity are a conflict, of none in particular are not', async () => {
      const filled = await bench.mailbox('traits stale', [{ raw: letter({}) }])
      const stale = { mailbox: filled.mailbox, uidvalidity: filled.uidvalidity + 1 }
      await expect(bench.source.traits(stale, filled.uids, SENDER, never())).rejects.toMatchObject({ code: 'conflict' })
      const any = { mailbox: filled.mailbox, uidvalidity: ANY_UIDVALIDITY }
      expect(await bench.source.traits(any, filled.uids, SENDER, never())).toHaveLength(1)
    })

    test('of a mailbox that is not there are not found, and aborted ones are cancelled', async () => {
      const missing = { mailbox: 'no such box', uidvalidity: ANY_UIDVALIDITY }
      await expect(bench.source.traits(missing, [1], SENDER, never())).rejects.toMatchObject({ code: 'not_found' })
      const { mailbox, uidvalidity, uids } = await bench.mailbox('traits aborted', [{ raw: letter({}) }])
      const aborted = bench.source.traits({ mailbox, uidvalidity }, uids, SENDER, AbortSignal.abort())
      await expect(aborted).rejects.toMatchObject({ code: 'cancelled' })
    })

    test('do not set \\Seen', async () => {
      const filled = await bench.mailbox('traits unseen', [{ raw: letter({}) }])
      await bench.source.traits(filled, filled.uids, { fields: ['From'], structure: true }, never())
      expect(await bench.source.flags(filled, filled.uids[0] ?? 0, never())).not.toContain('\\Seen')
    })
  })

  describe('any uidvalidity', () => {
    test('is the one the mailbox has now, for whoever reads', async () => {
      const filled = await bench.mailbox('any', [{ raw: letter({ body: 'hello' }), flags: ['\\Flagged'] }])
      const [uid = 0] = filled.uids
      const any = { mailbox: filled.mailbox, uidvalidity: ANY_UIDVALIDITY }
      expect(await bench.source.open(any, uid, never())).toEqual(await bench.source.open(filled, uid, never()))
      expect((await bench.source.open(any, uid, never())).uidvalidity).toBe(filled.uidvalidity)
      expect(await bench.source.flags(any, uid, never())).toContain('\\Flagged')
      expect((await bench.source.raw(any, uid, 10, never())).bytes).toHaveLength(10)
      expect(await bench.source.parts(any, uid, [{ id: '1', maxBytes: 5 }], never())).toHaveLength(1)
    })

    test('is none for whoever writes', async () => {
      const filled = await bench.mailbox('any write', [{ raw: letter({}) }])
      const any = { mailbox: filled.mailbox, uidvalidity: ANY_UIDVALIDITY }
      const change = bench.source.changeFlags(any, filled.uids[0] ?? 0, 'add', ['\\Seen'], never())
      await expect(change).rejects.toMatchObject({ code: 'conflict' })
    })
  })
}
