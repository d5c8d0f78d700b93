import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Letter } from '../action.ts'
import { Failure } from '../failure.ts'
import { parseAddresses } from '../mime/addresses.ts'
import { allFields, firstField, parseHeader } from '../mime/header.ts'
import { type LocatedPart, parseStructure } from '../mime/structure.ts'
import { decodeTransfer } from '../mime/transfer.ts'
import { countUnseenText } from '../mime/unseen.ts'
import { checkWire, type Envelope } from '../outbox/wire-check.ts'
import type { Attachment } from './attachment.ts'
import { type Composed, composeMessage, type Sheet } from './compose.ts'

const NAME = '0e37a1b2-1111-4222-8333-444455556666'
const LETTER: Letter = { to: ['ada@example.org'], cc: [], subject: 'Hello', body: 'Hi there' }

function composed(letter: Partial<Letter> = {}, more: Partial<Sheet> = {}): Composed {
  const fixed = { from: 'me@example.com', date: 1_708_943_400, uniqueName: NAME, original: undefined }
  return composeMessage({ ...fixed, letter: { ...LETTER, ...letter }, ...more })
}

function envelopeOf({ from, to, cc, bcc }: Composed): Envelope {
  return { from: from.address, recipients: [...to, ...cc, ...bcc].map(({ address }) => address) }
}

function linesOf({ bytes }: Composed): string[] {
  return new TextDecoder().decode(bytes).split('\r\n')
}

function contentOf(bytes: Uint8Array, { start, end, encoding }: LocatedPart): Uint8Array {
  return decodeTransfer(bytes.subarray(start, end), encoding)
}

function textOf(bytes: Uint8Array, part: LocatedPart | undefined): string {
  return part === undefined
    ? ''
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(contentOf(bytes, part)).replaceAll('\r\n', '\n')
}

function file(filename: string, type = 'application/pdf', bytes = Uint8Array.of(1, 2, 3)): Attachment {
  return { filename, type, bytes }
}

test.each([
  ['ASCII', 'Hi there', '7bit'],
  ['a few letters beyond', 'Hi there, Zoë', 'quoted-printable'],
  ['another script', 'Здравствуйте!\nДо встречи в пятницу.', 'base64'],
  ['a script without blanks', '金曜日の昼に会いましょう。', 'base64'],
  ['nothing', '', '7bit'],
])('a letter in %s can be sent as it was composed', (_what, body, encoding) => {
  const made = composed({ body })
  expect(firstField(parseHeader(made.bytes), 'content-transfer-encoding')).toBe(encoding)
  expect(() => checkWire(made.bytes, envelopeOf(made))).not.toThrow()
  expect(textOf(made.bytes, parseStructure(made.bytes).root)).toBe(`${body}\n`)
})

test('text, HTML and a file, to the byte', () => {
  const lines = linesOf(composed({ html: '<p>Hi\nthere</p>' }, { attachments: [file('a "b".pdf')] }))
  const from = lines.indexOf('MIME-Version: 1.0') + 1
  expect(lines.slice(from)).toEqual([
    'Content-Type: multipart/mixed;',
    ` boundary="=_1_${NAME}"`,
    '',
    `--=_1_${NAME}`,
    'Content-Type: multipart/alternative;',
    ` boundary="=_0_${NAME}"`,
    '',
    `--=_0_${NAME}`,
    'Content-Type: text/plain; charset=utf-8; format=flowed',
    'Content-Transfer-Encoding: 7bit',
    '',
    'Hi there',
    '',
    `--=_0_${NAME}`,
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
    '',
    '<p>Hi',
    'there</p>',
    '',
    `--=_0_${NAME}--`,
    '',
    `--=_1_${NAME}`,
    'Content-Type: application/pdf',
    "Content-Disposition: attachment; filename*=utf-8''a%20%22b%22.pdf",
    'Content-Transfer-Encoding: base64',
    '',
    'AQID',
    `--=_1_${NAME}--`,
    '',
  ])
})

test('those that nobody else is told of stand in a draft and never in what is sent', () => {
  const bcc = ['Secret <secret@example.net>']
  const sent = composed({ bcc })
  expect(new TextDecoder().decode(sent.bytes).toLowerCase()).not.toMatch(/bcc|secret/)
  expect(sent.bcc).toEqual([{ name: 'Secret', address: 'secret@example.net' }])
  const draft = composed({ bcc }, { showBcc: true })
  expect(firstField(parseHeader(draft.bytes), 'bcc')).toBe('Secret <secret@example.net>')
  expect(firstField(parseHeader(composed({}, { showBcc: true }).bytes), 'bcc')).toBeUndefined()
})

test('what was composed says all that it says', () => {
  const original = {
    header: [
      { name: 'From', value: 'Zoe <zoe@example.org>' },
      { name: 'Message-ID', value: '<b@x>' },
      { name: 'References', value: '<a@x>' },
    ],
    received: 1_700_000_000,
    text: 'What <b>now</b>?\n> older\n\nEnd',
    truncated: true,
  }
  const { text, html, messageId, inReplyTo, references, from } = composed(
    { body: 'Yes  \n-- \nMe\n\n', html: '<p>Yes</p>' },
    { original },
  )
  const said = 'On Tue, 14 Nov 2023 22:13 UTC, Zoe wrote:'
  expect(text).toBe(`Yes\n-- \nMe\n\n${said}\n> What <b>now</b>?\n>> older\n>\n> End\n> [...]`)
  expect(html).toBe(
    `<p>Yes</p>\n<p>${said}</p>\n<blockquote type="cite" style="white-space: pre-wrap">` +
      'What &lt;b&gt;now&lt;/b&gt;?\n&gt; older\n\nEnd\n[...]</blockquote>',
  )
  expect({ messageId, inReplyTo, references }).toEqual({
    messageId: `<${NAME}@example.com>`,
    inReplyTo: '<b@x>',
    references: ['<a@x>', '<b@x>'],
  })
  expect(from).toEqual({ name: '', address: 'me@example.com' })
})

test.each([['a\0b'], ['\udc00']])('the HTML %j is refused', (html) => {
  expect(() => composed({ html })).toThrow('html must be text')
})

test('an empty HTML version would hide the text: there is none', () => {
  const { bytes, html } = composed({ html: ' \n' })
  expect([parseStructure(bytes).root.type, html]).toEqual(['text/plain', undefined])
})

test('a boundary that somebody has written is not used', () => {
  const taken = [0, 1, 2, 4].map((number) => `--=_${number}_${NAME}--`).join('\n')
  const { bytes } = composed({ body: taken, html: '<p>' }, { attachments: [file(`=_3_${NAME}`)] })
  const { root } = parseStructure(bytes)
  expect(root.children.map(({ type }) => type)).toEqual(['multipart/alternative', 'application/pdf'])
  expect([root.parameters['boundary'], root.children[0]?.parameters['boundary']]).toEqual([
    `=_5_${NAME}`,
    `=_3_${NAME}`,
  ])
  expect(textOf(bytes, root.children[0]?.children[0])).toBe(`${taken}\n`)
})

test('a text of boundaries alone is looked through once', { timeout: 5000 }, () => {
  const taken = Array.from({ length: 20_000 }, (_, number) => `--=_${number}_${NAME}`).join('\n')
  const { root } = parseStructure(composed({ body: taken, html: '<p>' }).bytes)
  expect(root.parameters['boundary']).toBe(`=_20000_${NAME}`)
})

test.each<[string, string]>([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['C:\\Windows\\x.exe', 'C:_Windows_x.exe'],
  ['a\r\nBcc: x@y.z', 'a__Bcc: x@y.z'],
  ['a\0b\u0007.txt', 'a_b_.txt'],
  ['..', 'attachment'],
  ['', 'attachment'],
  [' \t ', '_'],
  ['.profile', '.profile'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['two  blanks.txt', 'two blanks.txt'],
  ['=?utf-8?Q?x?=.pdf', '=?utf-8?Q?x?=.pdf'],
  ['it\'s 100% "quoted"; a=b.pdf', 'it\'s 100% "quoted"; a=b.pdf'],
  ['Übersicht für Zoë.pdf', 'Übersicht für Zoë.pdf'],
  ['日本語の文書'.repeat(10), '日本語の文書'.repeat(10)],
  ['x'.repeat(500), 'x'.repeat(200)],
  ['👩‍👧.png', '👩‍👧.png'],
])('the file name %j travels as %j', (written, expected) => {
  const { bytes, attachments } = composed({}, { attachments: [file(written)] })
  expect(attachments.map(({ filename }) => filename)).toEqual([expected])
  expect(parseStructure(bytes).root.children[1]).toMatchObject({ filename: expected, disposition: 'attachment' })
})

test.each<[string, string]>([
  ['application/pdf', 'application/pdf'],
  ['Text/Plain; charset=utf-8', 'text/plain'],
  ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['message/rfc822', 'application/octet-stream'],
  ['message/partial', 'application/octet-stream'],
  ['multipart/mixed; boundary=x', 'application/octet-stream'],
  ['a/b\r\nBcc: x@y.z', 'a/b'],
  ['a/ü', 'application/octet-stream'],
  ['nonsense', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('the type %j travels as %j', (written, expected) => {
  const content = new TextEncoder().encode('Subject: inner\r\n\r\n--x\r\n\r\npart\r\n--x--\r\n')
  const { bytes, attachments } = composed({}, { attachments: [file('x', written, content)] })
  const part = parseStructure(bytes).root.children[1]
  expect([attachments[0]?.type, part?.type, part?.children]).toEqual([expected, expected, []])
  expect(part && contentOf(bytes, part)).toEqual(content)
})

test('a large file is written as fast as any', () => {
  const content = new Uint8Array(8_000_000).map((_, at) => at * 31)
  const { bytes } = composed({}, { attachments: [file('large.bin', 'application/zip', content)] })
  const part = parseStructure(bytes).root.children[1]
  expect(part && contentOf(bytes, part).every((byte, at) => byte === content[at])).toBe(true)
})

const odd = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\n--',
        `=_0_${NAME}`,
        `=_1_${NAME}`,
        '--',
        'x',
        'ü',
        '日',
        ' ',
        '"',
        ';',
        '.',
        '/',
      ),
      { maxLength: 30 },
    )
    .map((list) => list.join('')),
)
const someFile = fc.record({
  filename: odd,
  type: fc.oneof(odd, fc.constantFrom('image/png', 'text/html', 'message/rfc822', 'multipart/mixed')),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    odd.map((text) => new TextEncoder().encode(text)),
  ),
})

test('whatever texts and files hold, a reader finds those parts with their names and bytes, and nothing else', () => {
  const files = fc.array(someFile, { maxLength: 4 })
  const htmls = fc.option(odd, { nil: undefined })
  let composedOnes = 0
  fc.assert(
    fc.property(odd, htmls, files, (body, html, attachments) => {
      const letter = { body, bcc: ['hidden@example.net'], ...(html === undefined ? {} : { html }) }
      let made: Composed
      try {
        made = composed(letter, { attachments })
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      composedOnes++
      expect(composed(letter, { attachments }).bytes).toEqual(made.bytes)
      const { header, root, complete } = parseStructure(made.bytes)
      expect(complete).toBe(true)
      expect(header.map(({ name }) => name.toLowerCase())).not.toContain('bcc')
      expect(allFields(header, 'to').flatMap(parseAddresses)).toEqual([{ name: '', address: 'ada@example.org' }])
      expect(linesOf(made).every((line) => line.length <= 998 && /^[\t -~]*$/.test(line))).toBe(true)
      expect(() => checkWire(made.bytes, envelopeOf(made))).not.toThrow()
      expect(countUnseenText(made.bytes, root)).toBe(0)
      const [read = root, ...others] = attachments.length > 0 ? root.children : [root]
      expect(read.type).toBe(made.html === undefined ? 'text/plain' : 'multipart/alternative')
      if (made.html !== undefined) {
        expect(read.children.map(({ type }) => type)).toEqual(['text/plain', 'text/html'])
        expect(textOf(made.bytes, read.children[1])).toBe(`${made.html}\n`)
      }
      expect(
        others.map((part) => ({ filename: part.filename, type: part.type, bytes: [...contentOf(made.bytes, part)] })),
      ).toEqual(made.attachments.map((one) => ({ ...one, bytes: [...one.bytes] })))
      expect(made.attachments.map(({ bytes }) => bytes)).toEqual(attachments.map(({ bytes }) => bytes))
      expect(made.attachments.every(({ filename }) => /^[^\p{Cc}/\\]{1,200}$/u.test(filename))).toBe(true)
    }),
    { numRuns: 600 },
  )
  expect(composedOnes).toBeGreaterThan(200)
})
