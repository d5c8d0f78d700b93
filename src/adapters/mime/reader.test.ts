import { afterAll, describe, expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import type { EncodedText } from '../../ports/content-reader.ts'
import type { Log } from '../../ports/log.ts'
import { Pool } from './pool.ts'
import { createContentReader, MAX_PDF_BYTES } from './reader.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const patience = new AbortController().signal

function part(text: string, more: Partial<EncodedText> = {}): EncodedText {
  const bytes = Buffer.from(text)
  return {
    bytes,
    type: 'text/plain',
    encoding: '8bit',
    charset: 'utf-8',
    flowed: false,
    delSp: false,
    complete: true,
    ...more,
  }
}

const HELLO_PDF = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R 6 0 R] /Count 2 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >> endobj
4 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
5 0 obj << /Length 64 >> stream
BT /F1 12 Tf 10 100 Td (Hello) Tj 0 -20 Td (from a PDF) Tj ET    
endstream endobj
6 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >> endobj
trailer << /Root 1 0 R >>
%%EOF`

describe('the content reader', () => {
  const reader = createContentReader(silent)
  afterAll(() => reader.close())

  test('decodes, unwraps and cleans plain text', async () => {
    const text = part('caf=E9 =\r\nau lait=20\r\nand=E2=80=8B more\r\n', {
      encoding: 'quoted-printable',
      charset: 'windows-1252',
      flowed: true,
    })
    const read = await reader.text(text, 1000, patience)
    expect(read.text).toBe('café au lait andâ€‹ more')
    expect(read.truncated).toBe(false)
  })

  test('reads HTML as it says that it is written where the mail says nothing', async () => {
    const bytes = Buffer.from('<meta charset="koi8-r"><p>\xf0\xd2\xc9</p>', 'latin1')
    const html = part('', { type: 'text/html', charset: undefined, bytes })
    expect((await reader.text(html, 1000, patience)).text).toBe('При')
    expect((await reader.document('html', bytes, 1000, patience)).text).toBe('При')
  })

  test('shows what is visible of HTML, and warns of the rest', async () => {
    const html = part('<p>shown</p><p hidden>not this</p>', { type: 'text/html' })
    expect(await reader.text(html, 1000, patience)).toEqual({
      text: 'shown',
      uncertain: '',
      truncated: false,
      warnings: [{ kind: 'hidden_text_removed', count: 1 }],
    })
    expect(await reader.html(html, 1000, patience)).toEqual({ html: '<p>shown</p>', truncated: false })
  })

  test('leaves the bytes that it was given', async () => {
    const text = part('abc')
    await reader.text(text, 10, patience)
    await reader.text(text, 10, patience)
    expect(Buffer.from(text.bytes).toString()).toBe('abc')
  })

  test('says that a text is longer than asked for, or than what was downloaded', async () => {
    expect(await reader.text(part('ab😀cd'), 3, patience)).toMatchObject({ text: 'ab', truncated: true })
    expect(await reader.text(part('ab', { complete: false }), 9, patience)).toMatchObject({
      text: 'ab',
      truncated: true,
    })
    const long = await reader.text(part('x'.repeat(5_000_000)), 2_000_000, patience)
    expect(long).toMatchObject({ truncated: true })
    expect(long.text).toHaveLength(2_000_000)
  })

  test('pictures inside of a page are not counted as text', async () => {
    const picture = 'iVBORw0K'.repeat(300_000)
    const page = `<p>before</p><img src="data:image/png;base64,${picture}"><p>after</p>`.repeat(3)
    const read = await reader.text(part(page, { type: 'text/html' }), 1000, patience)
    expect(read).toMatchObject({ text: Array(3).fill('before\n\nafter').join('\n\n'), truncated: false, warnings: [] })
  })

  test('reads the text of a PDF', async () => {
    const read = await reader.pdf(Buffer.from(HELLO_PDF), 1000, patience)
    expect(read.text).toBe('Hello\nfrom a PDF\n\nHello\nfrom a PDF')
    expect(await reader.pdf(Buffer.from(HELLO_PDF), 7, patience)).toMatchObject({ text: 'Hello\nf', truncated: true })
  })

  test('a broken PDF is unreadable, and quotes nothing', async () => {
    const failure = await reader.pdf(Buffer.from('SECRET'), 1000, patience).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ code: 'unreadable', message: 'the PDF cannot be read' })
  })

  test('a PDF that is too large is not even tried', async () => {
    await expect(reader.pdf(new Uint8Array(MAX_PDF_BYTES + 1), 10, patience)).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  test('answers many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => reader.text(part(`mail ${index}`), 100, patience)),
    )
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, index) => `mail ${index}`))
  })
})

describe('a pool', () => {
  const heavy = {
    kind: 'text',
    part: part('<i><b>x</b></i>&amp;'.repeat(50_000), { type: 'text/html' }),
    maxChars: 1000,
  } as const
  const light = { kind: 'text', part: part('light'), maxChars: 1000 } as const
  const roomy = { heapMb: 96, memoryMb: 128, jobMs: 10_000 }

  test('a job over its time fails alone, and the next one is served', async () => {
    const pool = new Pool(1, { ...roomy, jobMs: 1 }, silent)
    const slow = pool.run(heavy, [], patience)
    const next = new Pool(1, roomy, silent)
    await expect(slow).rejects.toMatchObject({ code: 'timeout' })
    await expect(next.run(light, [], patience)).resolves.toMatchObject({ text: 'light' })
    await Promise.all([pool.close(), next.close()])
  })

  test('a job over its memory fails alone, and the next one is served', async () => {
    const pool = new Pool(1, { ...roomy, heapMb: 24, memoryMb: 1000 }, silent)
    const deep = { ...heavy, part: part('<p style="color:red">x'.repeat(55_000), { type: 'text/html' }) }
    const [first, second] = await Promise.allSettled([pool.run(deep, [], patience), pool.run(light, [], patience)])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'unreadable' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: { text: 'light' } })
    await pool.close()
  })

  test('an aborted job ends, whether it runs or waits, and the others go on', async () => {
    const pool = new Pool(1, roomy, silent)
    const running = new AbortController()
    const waiting = new AbortController()
    const jobs = [
      pool.run(heavy, [], running.signal),
      pool.run(light, [], waiting.signal),
      pool.run(light, [], patience),
    ]
    waiting.abort()
    setTimeout(() => running.abort(new Failure('timeout', 'enough')), 20)
    const [first, second, third] = await Promise.allSettled(jobs)
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'timeout', message: 'enough' } })
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } })
    expect(third).toMatchObject({ status: 'fulfilled', value: { text: 'light' } })
    await pool.close()
  })

  test('a signal that has gone off already starts nothing', async () => {
    const pool = new Pool(1, roomy, silent)
    await expect(pool.run(light, [], AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    await pool.close()
  })

  test('once closed it serves nobody, and leaves nobody waiting', async () => {
    const pool = new Pool(1, roomy, silent)
    const jobs = [pool.run(heavy, [], patience), pool.run(light, [], patience)]
    const outcomes = Promise.allSettled(jobs)
    await pool.close()
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(pool.run(light, [], patience)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
