/** Attachments: text where there is any, pictures to look at, small files whole, large ones on disk. */
import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pdf } from '../imap/pdf.ts'
import { type Agent, type Stage, startStage } from '../policy/stage.ts'
import { ADDRESS, type Arguments, emailsOf, inboxSpec, refusal, type Told, tell, unmarked } from './answers.ts'

interface File {
  readonly name?: string
  readonly type: string
  readonly bytes: Buffer
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)
const MEGABYTE = 1_048_576

const FILES: Readonly<Record<string, File>> = {
  text: { name: 'note.txt', type: 'text/plain; charset=iso-8859-1', bytes: Buffer.from('caf\xe9\r\nsecond', 'latin1') },
  json: { name: 'data.json', type: 'application/json', bytes: Buffer.from('{"a":[1,2],"b":"c"}') },
  broken: { name: 'broken.json', type: 'application/json', bytes: Buffer.from('{"a":') },
  pdf: { name: 'paper.pdf', type: 'application/pdf', bytes: pdf('Words in a paper') },
  html: { name: 'page.html', type: 'text/html', bytes: Buffer.from('<p>shown</p><p style="display:none">hidden</p>') },
  image: { name: 'dot.png', type: 'image/png', bytes: PNG },
  liar: { name: 'liar.png', type: 'image/png', bytes: Buffer.from('<script>alert(1)</script>') },
  binary: { name: 'data.bin', type: 'application/octet-stream', bytes: Buffer.from([0, 1, 2, 255]) },
  nameless: { type: 'application/x-thing', bytes: Buffer.from([9, 8, 7]) },
  large: { name: '../../large.bin', type: 'application/octet-stream', bytes: Buffer.alloc(MEGABYTE + 1, 7) },
  huge: { name: 'huge.bin', type: 'application/octet-stream', bytes: Buffer.alloc(10.5 * MEGABYTE, 7) },
}

let stage: Stage
let agent: Agent
const ids = new Map<string, string>()

function letterWith(subject: string, { name, type, bytes }: File): string {
  return [
    'From: a@example.org',
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See what is attached.',
    '--b',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment${name === undefined ? '' : `; filename="${name}"`}`,
    'Content-Transfer-Encoding: base64',
    '',
    bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
    '--b--',
    '',
  ].join('\r\n')
}

beforeAll(async () => {
  stage = await startStage(inboxSpec(['bot']))
  agent = await stage.as('bot')
  await stage.put(
    'ada',
    'INBOX',
    Object.entries(FILES).map(([subject, file]) => letterWith(subject, file)),
  )
  const listed = await tell(agent.postern.client, 'list_emails', { account: ADDRESS })
  for (const { id, subject = '' } of emailsOf(listed)) ids.set(subject, id)
})
afterAll(() => stage.close())

const asked = (what: string, more: Arguments = {}): Arguments => ({
  account: ADDRESS,
  email_id: ids.get(what),
  attachment_id: FILES[what]?.name ?? '2',
  ...more,
})
const get = (what: string, more?: Arguments): Promise<Told> =>
  tell(agent.postern.client, 'get_attachment', asked(what, more))

test('a text, word for word', async () => {
  const { text, value, blocks } = await get('text')
  expect(unmarked(text)).toBe(
    [
      ...['Attachment: note.txt', 'Size: 12 bytes', 'Type: text/plain', ''],
      ...['--- Content ---', '<<<', 'café', 'second', '>>>'],
    ].join('\n'),
  )
  expect(value).toMatchObject({ attachment_id: '2', filename: 'note.txt', size_bytes: 12, text: 'café\nsecond' })
  expect(blocks).toEqual([])
})

test('JSON is laid out for reading, and left alone where it is none', async () => {
  expect((await get('json')).value['text']).toBe('{\n  "a": [\n    1,\n    2\n  ],\n  "b": "c"\n}')
  expect((await get('broken')).value['text']).toBe('{"a":')
})

test('of a PDF the line and then the words in it', async () => {
  const { text } = await get('pdf')
  expect(unmarked(text)).toMatch(
    /\n--- Content ---\n\[PDF content - \d+ bytes\. Use a PDF viewer to read\.\]\n<<<\nWords in a paper\s*\n>>>/,
  )
})

test('of a page what a person would see, and what was taken out', async () => {
  const { text, value } = await get('html')
  expect(value).toMatchObject({ text: 'shown', content_warnings: [expect.stringContaining('hidden text removed')] })
  expect(text).toMatch(/\nContent warnings: hidden text removed/)
})

test('a picture comes with its size and to be looked at', async () => {
  const { text, value, blocks } = await get('image')
  expect(text).toContain('\n--- Content ---\n[Image - 3x2]')
  expect(value['image']).toEqual({ width: 3, height: 2 })
  expect(blocks).toEqual([{ type: 'image', mimeType: 'image/png', data: PNG.toString('base64') }])
})

test('what only calls itself a picture is a file', async () => {
  const { text, blocks } = await get('liar')
  expect(text).toContain('[Image file - 25 bytes]')
  expect(blocks).toMatchObject([{ type: 'resource' }])
})

test('other small files come whole', async () => {
  const { text, blocks } = await get('binary')
  expect(text).toContain('\n--- Content ---\n[Binary file - 4 bytes]')
  expect(blocks).toEqual([
    {
      type: 'resource',
      resource: {
        uri: expect.stringMatching(/^attachment:\/\/\//),
        mimeType: 'application/octet-stream',
        blob: 'AAEC/w==',
      },
    },
  ])
})

test('one without a name is had by its number', async () => {
  expect((await get('nameless')).text).toMatch(/^Attachment: part 2\n/)
  const read = await tell(agent.postern.client, 'read_email', { account: ADDRESS, email_id: ids.get('nameless') })
  expect(read.text).toContain('- no name [attachment_id 2] (')
})

test('a large one is put into a private file that says when it goes', async () => {
  const { text, value, blocks } = await get('large')
  const path = String(value['saved_to'])
  expect(text).toContain(`\n--- Content ---\n[Large file saved to: ${path}]\n[File will be deleted in 1 hour]`)
  expect(text).toContain('\nSize: 1.0 MB\n')
  expect(blocks).toEqual([])
  expect(path).not.toContain('..')
  expect((await stat(path)).mode & 0o077).toBe(0)
  expect((await readFile(path)).equals(FILES['large']?.bytes ?? Buffer.alloc(0))).toBe(true)
})

test('one of over ten megabytes is refused before it is downloaded', async () => {
  const before = stage.proxy.received()
  const refused = await refusal(agent.postern.client, 'get_attachment', asked('huge'))
  expect(refused).toMatchObject({ code: -32004, data: { code: 'too_large' } })
  expect(stage.proxy.received() - before).toBeLessThan(MEGABYTE)
})

test('what is not attached is not found', async () => {
  const refused = (more: Arguments) => refusal(agent.postern.client, 'get_attachment', asked('text', more))
  expect(await refused({ attachment_id: 'other.txt' })).toMatchObject({
    code: -32001,
    message: 'the message has no such attachment; reading the message lists those that it has',
  })
  expect(await refused({ attachment_id: undefined })).toMatchObject({
    code: -32602,
    message: 'attachment_id is required',
  })
  expect(await refused({ account: undefined })).toMatchObject({ code: -32002 })
})
