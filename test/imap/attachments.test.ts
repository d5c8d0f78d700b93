/** Attachments and sources: what is told of them, and what is never fetched. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calendar, docx, paragraph, run } from '../documents/office.ts'
import { letter } from '../mail-source/messages.ts'
import type { Data, Message } from './answers.ts'
import { type Stage, startStage, uidOf } from './harness.ts'
import { attachment, mail, multipart, part } from './mail.ts'
import { pdf } from './pdf.ts'
import type { Arguments } from './postern.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

async function read(raw: string, args: Arguments = {}): Promise<Data> {
  const [message_id = ''] = await stage.put('Read', [raw])
  return (await stage.postern.call('imap_get_message', { message_id, ...args })).data
}
const shown = async (raw: string, args: Arguments = {}): Promise<Message> => (await read(raw, args)).message

const HEADERS = ['From: Ada <ada@example.org>', 'To: Bob <bob@example.org>', 'Subject: parts', 'MIME-Version: 1.0']

describe('attachments', () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))
  const raw = mail(
    HEADERS,
    multipart(
      'mixed',
      multipart('alternative', part('text/plain', 'text'), part('text/html', '<p>text</p>')),
      attachment('image/png', 'picture.png', bytes),
      attachment('application/pdf', 'report.pdf', pdf('Hello from the PDF')),
      part('message/rfc822', letter({ subject: 'inner' })),
    ),
  )

  test('are listed with their part numbers, types and about their sizes', async () => {
    const { attachments = [] } = await shown(raw)
    expect(attachments.map(({ part_id, content_type, filename }) => [part_id, content_type, filename])).toEqual([
      ['2', 'image/png', 'picture.png'],
      ['3', 'application/pdf', 'report.pdf'],
      ['4', 'message/rfc822', undefined],
    ])
    expect(attachments[0]?.size_bytes).toBeGreaterThan(970)
    expect(attachments[0]?.size_bytes).toBeLessThan(1030)
    expect(attachments.every((file) => !('extracted_text' in file))).toBe(true)
  })

  test('the text of PDFs is extracted when asked for', async () => {
    const { attachments = [] } = await shown(raw, { extract_attachment_text: true })
    expect(attachments[1]).toMatchObject({
      extracted_text: 'Hello from the PDF',
      text_truncated: false,
      size_bytes: pdf('Hello from the PDF').length,
    })
    expect(attachments[0]).not.toHaveProperty('extracted_text')
  })

  test('and that of office files, pages, invitations and plain text, without what is hidden', async () => {
    const files = mail(
      HEADERS,
      multipart(
        'mixed',
        part('text/plain', 'text'),
        attachment(
          'application/octet-stream',
          'a.docx',
          docx(paragraph(run('a letter'), run('SECRET', '<w:vanish/>'))),
        ),
        attachment('text/html', 'a.html', '<p>a page</p><p hidden>SECRET</p>'),
        attachment('text/calendar', 'a.ics', calendar('BEGIN:VEVENT', 'SUMMARY:a meeting', 'END:VEVENT')),
        attachment('text/csv; charset=iso-8859-1', 'a.csv', Buffer.from('caf\u00e9;1', 'latin1')),
        attachment('image/png', 'a.png', bytes),
        attachment('application/octet-stream', 'b.docx', 'no document'),
      ),
    )
    const data = await read(files, { extract_attachment_text: true })
    const { attachments = [], content_warnings } = data.message
    const texts = ['a letter', 'a page', 'Summary: a meeting', 'caf\u00e9;1', undefined, undefined]
    expect(attachments.map(({ extracted_text }) => extracted_text)).toEqual(texts)
    // The third is the preamble.
    expect(content_warnings).toContain('hidden text removed (3)')
    expect(data).toMatchObject({ status: 'partial', issues: [{ code: 'unreadable', stage: 'read_attachment 7' }] })
  })

  test('and is cut where it is long', async () => {
    const long = mail(HEADERS, attachment('application/pdf', 'long.pdf', pdf('ill '.repeat(50))))
    const { attachments = [] } = await shown(long, { extract_attachment_text: true, attachment_text_max_chars: 100 })
    expect(attachments[0]?.text_truncated).toBe(true)
    expect(attachments[0]?.extracted_text?.length).toBeLessThanOrEqual(100)
    expect(attachments[0]?.extracted_text?.length).toBeGreaterThan(90)
  })

  test('a PDF that is none is an issue beside the message', async () => {
    const broken = mail(
      HEADERS,
      multipart('mixed', part('text/plain', 'the text'), attachment('application/pdf', 'b.pdf', 'no pdf')),
    )
    const data = await read(broken, { extract_attachment_text: true })
    expect(data).toMatchObject({ status: 'partial', issues: [{ code: 'unreadable', stage: 'read_attachment 2' }] })
    expect(data.message).toMatchObject({ body_text: 'the text', attachments: [{ part_id: '2' }] })
  })

  test('a PDF over 5 MB is not downloaded, and that is said', async () => {
    const large = mail(
      HEADERS,
      multipart(
        'mixed',
        part('text/plain', 'the text'),
        attachment('application/pdf', 'l.pdf', Buffer.alloc(5_400_000, 1)),
      ),
    )
    const [message_id = ''] = await stage.put('Large', [large])
    stage.proxy.forget()
    const args = { message_id, extract_attachment_text: true }
    const { summary, data } = await stage.postern.call('imap_get_message', args)
    expect(summary).toBe('Message retrieved in part: see issues')
    expect(data).toMatchObject({ status: 'partial', issues: [{ code: 'too_large', retryable: false }] })
    expect(stage.proxy.received()).toBeLessThan(20_000)
  })

  test('of 40 MB, which nobody asked for, never cross the wire', async () => {
    const huge = mail(
      HEADERS,
      multipart(
        'mixed',
        part('text/plain', 'the text'),
        attachment('video/mp4', 'film.mp4', Buffer.alloc(40_000_000, 1)),
      ),
    )
    await stage.dovecot.deliver('ada', 'Huge', [{ raw: huge }])
    const { data: found } = await stage.postern.call('imap_search_messages', { mailbox: 'Huge', include_snippet: true })
    const message_id = found.messages[0]?.message_id
    stage.proxy.forget()
    const { data } = await stage.postern.call('imap_get_message', { message_id, extract_attachment_text: true })
    expect(data.message).toMatchObject({ body_text: 'the text', attachments: [{ filename: 'film.mp4', part_id: '2' }] })
    expect(data.message.attachments?.[0]?.size_bytes).toBeGreaterThan(39_000_000)
    const raw = await stage.postern.call('imap_get_message_raw', { message_id, max_bytes: 1024 })
    expect(raw.data.size_bytes).toBe(huge.length)
    expect(stage.proxy.received()).toBeLessThan(20_000)
  })

  test('at most fifty are listed', async () => {
    const files = Array.from({ length: 60 }, (_, index) => attachment('text/csv', `${index}.csv`, 'a;b'))
    const { attachments } = await shown(mail(HEADERS, multipart('mixed', part('text/plain', 'text'), ...files)))
    expect(attachments).toHaveLength(50)
  })
})

describe('the raw source', () => {
  const all = Buffer.concat([
    Buffer.from('Subject: bytes\r\n\r\n'),
    Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1)),
    Buffer.from('\r\n'),
  ])

  test('is byte for byte what is stored', async () => {
    const [message_id = ''] = await stage.put('Raw', [{ raw: all }])
    const { summary, data } = await stage.postern.call('imap_get_message_raw', { message_id })
    const source = Buffer.from(data.raw_source_base64, 'base64')
    expect(data).toEqual({
      status: 'ok',
      issues: [],
      account_id: 'default',
      message_id,
      size_bytes: source.length,
      truncated: false,
      raw_source_base64: expect.any(String),
      raw_source_encoding: 'base64',
    })
    expect(summary).toBe(`${source.length} bytes`)
    await stage.ada.imap.mailboxOpen('Raw')
    const other = await stage.ada.imap.fetchOne(String(uidOf(message_id)), { source: true }, { uid: true })
    expect(other && source.equals(other.source ?? Buffer.alloc(0))).toBe(true)
  })

  test.each([1024, 1025, 4000])('its first %i bytes', async (max_bytes) => {
    const raw = letter({ body: 'Grüße '.repeat(1000) })
    const [message_id = ''] = await stage.put('Raw', [raw])
    const { summary, data } = await stage.postern.call('imap_get_message_raw', { message_id, max_bytes })
    const size = Buffer.byteLength(raw)
    expect(data).toMatchObject({ size_bytes: size, truncated: true })
    expect(summary).toBe(`First ${max_bytes} of ${size} bytes`)
    expect(Buffer.from(data.raw_source_base64, 'base64')).toEqual(Buffer.from(raw).subarray(0, max_bytes))
  })

  test('exactly as large as asked for is not cut', async () => {
    const raw = letter({ body: 'x'.repeat(2000) })
    const [message_id = ''] = await stage.put('Raw', [raw])
    const { data } = await stage.postern.call('imap_get_message_raw', { message_id, max_bytes: raw.length })
    expect(data).toMatchObject({ size_bytes: raw.length, truncated: false })
  })
})

test('nothing that was read is marked as seen', async () => {
  const [message_id = ''] = await stage.put('Untouched', [
    mail(HEADERS, multipart('mixed', part('text/html', '<p>x</p>'), attachment('application/pdf', 'a.pdf', pdf('x')))),
  ])
  const uri = message_id.replace(
    /^imap:default:Untouched:(\d+):(\d+)$/,
    'imap://default/mailbox/Untouched/message/$1/$2',
  )
  const all = { include_html: true, include_all_headers: true, extract_attachment_text: true }
  await stage.postern.call('imap_search_messages', { mailbox: 'Untouched', query: 'x', include_snippet: true })
  await stage.postern.call('imap_get_message', { message_id, ...all })
  await stage.postern.call('imap_get_message_raw', { message_id })
  for (const end of ['', '/raw', '/attachment/2']) await stage.postern.client.readResource({ uri: `${uri}${end}` })
  expect(await stage.ada.flags('Untouched', uidOf(message_id))).not.toContain('\\Seen')
})
