/** Mail that breaks the rules, on a real server: its text is shown all the same, or it is said that nothing can be. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Message } from './answers.ts'
import { ADA, messageId, type Stage, startStage, uidvalidityOf } from './harness.ts'

const HEADER = 'From: Eve <eve@example.net>\r\nSubject: odd\r\nMIME-Version: 1.0\r\n'
const KOI8 = Buffer.concat([
  Buffer.from('From: Eve <eve@example.net>\r\nSubject: '),
  Buffer.from([0xf0, 0xc9, 0xd3, 0xd8, 0xcd, 0xcf]),
  Buffer.from('\r\n\r\ntext\r\n'),
])
const MIXED = `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n\r\n`
const PICTURE = `<img src="data:image/png;base64,${'iVBORw0K'.repeat(75_000)}">`

interface Odd {
  readonly name: string
  readonly raw: string | Buffer
  readonly body?: string
  readonly subject?: string
  readonly warnings?: readonly string[]
}

const ODD: readonly Odd[] = [
  { name: 'text without a subtype', raw: `${HEADER}Content-Type: text\r\n\r\nkestrel\r\n`, body: 'kestrel' },
  { name: 'a type that is none', raw: `${HEADER}Content-Type: ; charset=utf-8\r\n\r\nlapwing\r\n`, body: 'lapwing' },
  {
    name: 'lines that end with CR alone',
    raw: 'From: Eve <eve@example.net>\rSubject: odd\r\rmerlin\rand more\r',
    body: 'merlin\nand more',
  },
  { name: 'a subject in KOI8-R', raw: KOI8, body: 'text', subject: 'Письмо' },
  {
    name: 'UTF-8 that is labelled ISO-2022-JP',
    raw: `${HEADER}Content-Type: text/plain; charset=iso-2022-jp\r\nContent-Transfer-Encoding: 8bit\r\n\r\nメール\r\n`,
    body: 'メール',
  },
  {
    name: 'a page after an empty text',
    raw: `${MIXED}--b\r\nContent-Type: text/html\r\n\r\n<p>nightjar</p>\r\n--b--\r\n`,
    body: 'nightjar',
  },
  {
    name: 'a page with a large picture in it',
    raw: `${HEADER}Content-Type: text/html\r\n\r\n${PICTURE}<p>osprey</p>\r\n`,
    body: 'osprey',
  },
  {
    name: 'a page of nothing but a remote picture',
    raw: `${HEADER}Content-Type: text/html\r\n\r\n<img src="https://example.net/a.png">\r\n`,
    warnings: ['remote content removed (1)', 'no readable text (1)'],
  },
]

let stage: Stage
let ids: readonly string[]

beforeAll(async () => {
  stage = await startStage()
  await stage.dovecot.deliver(
    ADA,
    'INBOX',
    ODD.map(({ raw }, index) => ({ raw, received: 1_700_000_000 + index })),
  )
  const uidvalidity = await uidvalidityOf(stage.ada, 'INBOX')
  ids = ODD.map((_odd, index) => messageId('INBOX', uidvalidity, index + 1))
})
afterAll(() => stage.close())

test.each(ODD.map((odd, index) => ({ ...odd, index })))('$name', async ({ index, body, subject, warnings }) => {
  const { data } = await stage.postern.call('imap_get_message', { message_id: ids[index] })
  const message: Message = data.message
  expect({ body: message.body_text?.trim() || undefined, subject: message.subject }).toEqual({
    body,
    subject: subject ?? 'odd',
  })
  expect(message.attachments ?? []).toEqual([])
  expect(message.content_warnings).toEqual(warnings ?? [])
})

test('the beginning of a text is listed wherever in its message it is', async () => {
  const { data } = await stage.postern.call('imap_search_messages', {
    mailbox: 'INBOX',
    include_snippet: true,
    limit: 50,
  })
  const snippets = data.messages.map(({ snippet }: { snippet?: string }) => snippet).toReversed()
  expect(snippets.slice(5)).toEqual(['nightjar', 'osprey', undefined])
})
