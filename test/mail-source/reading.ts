/** The part of the contract that reads messages. */
import { describe, expect, test } from 'vitest'
import type { Part } from '../../src/core/message.ts'
import { type Bench, type Filled, never } from './bench.ts'
import { at, letter, MIXED } from './messages.ts'

const BODY = 'The first line of it.\r\nThe second.\r\n'

export function readingContract(bench: Bench): void {
  describe('summaries', () => {
    test('come in the order asked for, with what a listing shows', async () => {
      const raw = letter({ subject: 'Grüße', body: BODY })
      const received = at('2024-02-03T04:05:06Z')
      const filled = await bench.mailbox('list', [
        { raw, received, flags: ['\\Flagged', 'urgent'] },
        { raw: letter({}) },
      ])
      const [first = 0, second = 0] = filled.uids
      const summaries = await bench.source.summaries(filled, [second, first], 16, never())
      expect(summaries.map(({ uid }) => uid)).toEqual([second, first])
      const [, summary] = summaries
      expect(summary).toMatchObject({ received, size: Buffer.byteLength(raw) })
      expect([...(summary?.flags ?? [])].filter((flag) => flag !== '\\Recent').sort()).toEqual(
        bench.kept(['\\Flagged', 'urgent']),
      )
      expect(text(summary?.bodyStart)).toBe(BODY.slice(0, 16))
      expect(field(summary?.header, 'subject')).toMatch(/^=\?utf-8\?B\?/)
      expect(field(summary?.header, 'from')).toBe('Ada Lovelace <ada@example.org>')
    })

    test('leave out what is not there and fetch no body unasked', async () => {
      const filled = await bench.mailbox('left out', [{ raw: letter({}) }])
      const [uid = 0] = filled.uids
      const summaries = await bench.source.summaries(filled, [uid + 1000, uid], 0, never())
      expect(summaries.map((summary) => [summary.uid, summary.bodyStart])).toEqual([[uid, undefined]])
      expect(await bench.source.summaries(filled, [], 0, never())).toEqual([])
    })
  })

  describe('open', () => {
    test('a simple message has one part, numbered 1', async () => {
      const raw = letter({ body: BODY })
      const filled = await bench.mailbox('simple', [{ raw, received: at('2024-02-03T04:05:06Z') }])
      const opened = await bench.source.open(filled, filled.uids[0] ?? 0, never())
      expect(opened).toMatchObject({
        uid: filled.uids[0],
        received: at('2024-02-03T04:05:06Z'),
        size: Buffer.byteLength(raw),
      })
      expect(opened.structure).toMatchObject({ id: '1', type: 'text/plain', encoding: '8bit', children: [] })
      expect(opened.structure.parameters['charset']?.toLowerCase()).toBe('utf-8')
      expect(opened.structure.size).toBe(Buffer.byteLength(BODY) + 2)
      expect(field(opened.header, 'message-id')).toBe('<seed@example.org>')
    })

    test('a multipart message has its parts numbered as IMAP does', async () => {
      const filled = await bench.mailbox('mixed', [{ raw: MIXED }])
      const { structure } = await bench.source.open(filled, filled.uids[0] ?? 0, never())
      expect(flatten(structure).map((part) => `${part.id} ${part.type}`)).toEqual([
        ' multipart/mixed',
        '1 multipart/alternative',
        '1.1 text/plain',
        '1.2 text/html',
        '2 application/pdf',
        '3 message/rfc822',
        '3.1 text/plain',
      ])
      const pdf = structure.children[1]
      expect(pdf).toMatchObject({ disposition: 'attachment', filename: 'übersicht.pdf', encoding: 'base64' })
      expect(structure.children[0]?.children[0]).toMatchObject({ encoding: 'quoted-printable' })
      expect(structure.children[0]?.children[0]?.parameters).toMatchObject({ format: 'flowed' })
    })

    test('headers beyond 256 kB are cut at a whole field', async () => {
      const extra = Array.from({ length: 4000 }, (_, index) => `X-Long-${index}: ${'y'.repeat(100)}`)
      const filled = await bench.mailbox('long', [{ raw: letter({ extra }) }])
      const { header } = await bench.source.open(filled, filled.uids[0] ?? 0, never())
      expect(header.length).toBeGreaterThan(2000)
      expect(header.length).toBeLessThan(3000)
      expect(header.at(-1)?.value).toBe('y'.repeat(100))
    })
  })

  describe('parts and raw', () => {
    test('a part comes transfer-encoded and is cut at the bytes asked for', async () => {
      const filled = await bench.mailbox('bytes', [{ raw: MIXED }])
      const wanted = [
        { id: '1.1', maxBytes: 4 },
        { id: '2', maxBytes: 1000 },
        { id: '1.2', maxBytes: '<p>hello</p>'.length },
        { id: '3.1', maxBytes: 100 },
      ]
      const parts = await bench.source.parts(filled, filled.uids[0] ?? 0, wanted, never())
      expect(parts.map(({ id, bytes, complete }) => [id, text(bytes), complete])).toEqual([
        ['1.1', 'Gr=C', false],
        ['2', 'JVBERi0xLjQK', true],
        ['1.2', '<p>hello</p>', true],
        ['3.1', 'inner text', true],
      ])
    })

    test('a part that the message has not gives no bytes', async () => {
      const filled = await bench.mailbox('no part', [{ raw: MIXED }])
      const parts = await bench.source.parts(filled, filled.uids[0] ?? 0, [{ id: '9', maxBytes: 10 }], never())
      expect(parts.flatMap(({ bytes }) => [...bytes])).toEqual([])
    })

    test('raw is the message byte for byte, and knows its size when cut', async () => {
      const raw = Buffer.concat([Buffer.from(letter({})), Buffer.from([0xff, 0xfe, 0x80, 13, 10])])
      const filled = await bench.mailbox('raw', [{ raw }])
      const [uid = 0] = filled.uids
      const whole = await bench.source.raw(filled, uid, 1_000_000, never())
      expect(whole.size).toBe(raw.length)
      expect(Buffer.from(whole.bytes).equals(raw)).toBe(true)
      const start = await bench.source.raw(filled, uid, 10, never())
      expect([start.size, text(start.bytes)]).toEqual([raw.length, raw.toString('latin1', 0, 10)])
    })
  })

  describe('every read', () => {
    test('leaves a message unseen', async () => {
      const filled = await bench.mailbox('unseen', [{ raw: MIXED }])
      const [uid = 0] = filled.uids
      await readAll(bench, filled, uid)
      expect(await bench.source.flags(filled, uid, never())).not.toContain('\\Seen')
      const unread = await bench.source.find(filled.mailbox, { criteria: { unread: true }, take: 5 }, never())
      expect(unread.uids).toEqual([uid])
    })

    test('of a uid that is not there is not_found', async () => {
      const filled = await bench.mailbox('missing', [{ raw: letter({}) }])
      const uid = (filled.uids[0] ?? 0) + 500
      for (const read of reads(bench, filled, uid)) await expect(read()).rejects.toMatchObject({ code: 'not_found' })
    })

    test('of a mailbox that is not there is not_found', async () => {
      const nowhere = { mailbox: 'nowhere at all', uidvalidity: 1, uids: [] }
      for (const read of reads(bench, nowhere, 1)) await expect(read()).rejects.toMatchObject({ code: 'not_found' })
    })

    test('under another uidvalidity is a conflict', async () => {
      const filled = await bench.mailbox('stale', [{ raw: letter({}) }])
      const stale = { ...filled, uidvalidity: filled.uidvalidity + 1 }
      const [uid = 0] = filled.uids
      for (const read of reads(bench, stale, uid)) await expect(read()).rejects.toMatchObject({ code: 'conflict' })
      await expect(bench.source.summaries(stale, [uid], 0, never())).rejects.toMatchObject({ code: 'conflict' })
    })
  })
}

function reads(bench: Bench, filled: Filled, uid: number): (() => Promise<unknown>)[] {
  const { source } = bench
  return [
    () => source.open(filled, uid, never()),
    () => source.parts(filled, uid, [{ id: '1', maxBytes: 10 }], never()),
    () => source.raw(filled, uid, 10, never()),
    () => source.flags(filled, uid, never()),
  ]
}

async function readAll(bench: Bench, filled: Filled, uid: number): Promise<void> {
  for (const read of reads(bench, filled, uid)) await read()
  await bench.source.summaries(filled, [uid], 100, never())
  await bench.source.find(filled.mailbox, { criteria: { text: 'hello' }, take: 5 }, never())
}

function flatten(part: Part): Part[] {
  return [part, ...part.children.flatMap(flatten)]
}

function field(header: readonly { readonly name: string; readonly value: string }[] | undefined, name: string) {
  return header?.find((entry) => entry.name.toLowerCase() === name)?.value.trim()
}

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1')
}
