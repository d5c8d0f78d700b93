/**
 * Messages of every make, each with what a person sees of it, written down by whoever made it and not read back.
 *
 * INVARIANT: few words, many of them parts of others, so that what is looked for is often there, and often nearly.
 */
import fc from 'fast-check'
import type { Searchable } from '../../src/core/query/evaluate.ts'
import { compareVersions } from '../../src/core/text/alternatives.ts'
import { cleanText } from '../../src/core/text/plain.ts'

export const WORDS = [
  ...['in', 'voice', 'invoice', 'invoices', 'Invoice', 'INVOICE', '20', '2024', 'snake_case', 'x1'],
  ...['café', 'cafe', 'cafe\u0301', 'naïve', 'Größe', 'GRÖSSE', 'straße', 'strasse', 'ñandú'],
  ...['ΣΟΦΟΣ', 'σοφος', 'σοφός', 'привет', 'ПРИВЕТ'],
  ...['東京都庁', '京都', '東', 'ひらがな', '한국어', 'ภาษาไทย', 'ไทย', '東a京'],
  ...['🎉', 'in🎉voice', 'in\u00advoice', 'in\u200bvoice'],
] as const

export interface Letter {
  readonly raw: Uint8Array
  readonly truth: Searchable
  /** Where no more than this is seen of a body, its words, the names of its files: what any server's search finds. */
  readonly plainly: { readonly body: string; readonly filenames: string }
}

const word = fc.constantFrom(...WORDS)
const blank = fc.constantFrom(' ', ' ', ' ', ', ', '-', ' / ')
export const phrase = fc
  .array(fc.tuple(word, blank), { minLength: 1, maxLength: 4 })
  .map((pairs) => pairs.flatMap(([one, gap], at) => (at === 0 ? [one] : [gap, one])).join(''))

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8')
const isLatin = (text: string): boolean => [...text].every((one) => (one.codePointAt(0) ?? 0) < 256)
const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)
const hex = (byte: number): string => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** Words that are written in charsets of their own, with their bytes. */
const ABROAD: Readonly<Record<string, readonly [charset: string, base64: string]>> = {
  東京都庁: ['iso-2022-jp', 'GyRCRWw1fkVURCMbKEI='],
  привет: ['koi8-r', '0NLJ18XU'],
  ΣΟΦΟΣ: ['iso-8859-7', '08/Wz9M='],
  한국어: ['euc-kr', 'x9Gxub7u'],
  京都: ['gb2312', 'vqm2vA=='],
  café: ['windows-1252', 'Y2Fm6Q=='],
}

function encodedWord(text: string, charset: 'utf-8' | 'iso-8859-1', how: 'B' | 'Q'): string {
  const bytes = Buffer.from(text, charset === 'utf-8' ? 'utf8' : 'latin1')
  const written =
    how === 'B'
      ? bytes.toString('base64')
      : [...bytes]
          .map((byte) => (/[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
          .join('')
  return `=?${charset}?${how}?${written}?=`
}

const HOW = ['asIs', 'B', 'Q', 'halves', 'folded', 'abroad'] as const

/** The text of a header field as it stands in the message. */
function inHeader(text: string, how: (typeof HOW)[number]): string {
  const abroad = ABROAD[text]
  if (how === 'abroad' && abroad !== undefined) return `=?${abroad[0]}?B?${abroad[1]}?=`
  if (how === 'folded' && isAscii(text)) return text.replaceAll(' ', '\r\n ')
  if (isAscii(text) && how === 'asIs') return text
  const charset = isLatin(text) && how === 'Q' ? 'iso-8859-1' : 'utf-8'
  const characters = [...text]
  // Two encoded words that follow each other are one text, wherever it was broken.
  const middle = how === 'halves' ? Math.ceil(characters.length / 2) : characters.length
  const pieces = [characters.slice(0, middle), characters.slice(middle)].filter((piece) => piece.length > 0)
  return pieces.map((piece) => encodedWord(piece.join(''), charset, how === 'Q' ? 'Q' : 'B')).join('\r\n ')
}

interface Field {
  readonly line: string
  readonly text: string
}

function field(name: string, said: fc.Arbitrary<string>, tail: fc.Arbitrary<string>): fc.Arbitrary<Field> {
  return fc
    .tuple(said, fc.constantFrom(...HOW), tail)
    .map(([text, how, end]) => ({ line: `${name}: ${inHeader(text, how)}${end}`, text: text + end }))
}

export const ADDRESSES = ['ann@a.example', 'Ann@A.example', 'bob@b.example', 'invoice@in.example', 'x.y@sub.a.example']
const address = fc.constantFrom(...ADDRESSES).map((one) => ` <${one}>`)
const people = (name: string): fc.Arbitrary<Field | undefined> =>
  fc.option(field(name, phrase, address), { nil: undefined, freq: 4 })

/** Part of a body: how it stands in the message, what is seen of it, and what even a server sees. */
interface Said {
  readonly headers: readonly string[]
  readonly bytes: Buffer
  readonly seen: string
  readonly plainly: string
  /** What only its other version says. */
  readonly uncertain?: string
}

function wrapped(text: string, type: string, how: number): Pick<Said, 'headers' | 'bytes'> {
  const kind = (charset: string): string => `Content-Type: ${type}; charset=${charset}`
  const encoding = (name: string): string => `Content-Transfer-Encoding: ${name}`
  if (how === 1) {
    const lines =
      bytesOf(text)
        .toString('base64')
        .match(/.{1,20}/g) ?? []
    return { headers: [kind('utf-8'), encoding('base64')], bytes: bytesOf(lines.join('\r\n')) }
  }
  if (how === 2) return { headers: [kind('"UTF-8"'), encoding('quoted-printable')], bytes: quoted(bytesOf(text)) }
  if (how === 3 && isLatin(text)) {
    return { headers: [kind('iso-8859-1'), encoding('quoted-printable')], bytes: quoted(Buffer.from(text, 'latin1')) }
  }
  return { headers: [kind('utf-8'), encoding('8bit')], bytes: bytesOf(text) }
}

function quoted(bytes: Buffer): Buffer {
  let text = ''
  let column = 0
  for (const byte of bytes) {
    const one = String.fromCharCode(byte)
    const piece = one === '\r' || one === '\n' ? one : /[A-Za-z0-9 <>/]/.test(one) ? one : hex(byte)
    // Lines are broken anywhere, in words too.
    if (column + piece.length > 17 && piece.trim() !== '') {
      text += '=\r\n'
      column = 0
    }
    text += piece
    column = one === '\n' ? 0 : column + piece.length
  }
  return Buffer.from(text, 'latin1')
}

const how = fc.constantFrom(0, 0, 1, 2, 3)
const lines = fc.array(phrase, { minLength: 1, maxLength: 3 })
const plain: fc.Arbitrary<Said> = fc.tuple(lines, how).map(([all, way]) => {
  const seen = all.join('\r\n')
  return { ...wrapped(seen, 'text/plain', way), seen, plainly: seen }
})

const HIDDEN = [
  (text: string) => `<p style="display:none">${text}</p>`,
  (text: string) => `<div hidden>${text}</div>`,
  (text: string) => `<span style="font-size:0">${text}</span>`,
  (text: string) => `<!-- ${text} -->`,
  (text: string) => `<style>.${'x'} { content: "${text}" }</style>`,
] as const

interface Piece {
  readonly html: string
  readonly seen: string
  readonly plainly: string
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: phrase.map((text) => ({ html: `<p>${escaped(text)}</p>`, seen: text, plainly: text })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...HIDDEN), phrase)
      .map(([hide, text]) => ({ html: hide(text), seen: '', plainly: '' })),
  },
  // A word that markup breaks, or entities spell, is one to its reader.
  word.map((text) => {
    const [first = '', ...rest] = [...text]
    return { html: `<p>${first}<b>${rest.join('')}</b></p>`, seen: text, plainly: '' }
  }),
  word.map((text) => {
    const spelled = [...text].map((one) => `&#${one.codePointAt(0)};`).join('')
    return { html: `<p>${spelled}</p>`, seen: text, plainly: '' }
  }),
)
const html: fc.Arbitrary<Said> = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 3 }), how).map(([pieces, way]) => {
  const page = `<html><body>\r\n${pieces.map((one) => one.html).join('\r\n')}\r\n</body></html>`
  const joined = (key: 'seen' | 'plainly'): string => pieces.map((one) => one[key]).join('\n')
  return { ...wrapped(page, 'text/html', way), seen: joined('seen'), plainly: joined('plainly') }
})

function together(kind: string, parts: readonly Pick<Said, 'headers' | 'bytes'>[]): Pick<Said, 'headers' | 'bytes'> {
  const boundary = `=_${kind}_${parts.length}`
  const pieces = parts.flatMap(({ headers, bytes }) => [
    bytesOf(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`),
    bytes,
    bytesOf('\r\n'),
  ])
  return {
    headers: [`Content-Type: multipart/${kind}; boundary="${boundary}"`],
    bytes: Buffer.concat([...pieces, bytesOf(`--${boundary}--\r\n`)]),
  }
}

/** Of two versions the HTML is shown, unless there is no text in it. */
const both = fc
  .tuple(
    plain,
    html.filter(({ seen }) => seen.trim() !== ''),
  )
  .map(([one, other]): Said => {
    const { onlyPlain } = compareVersions(cleanText(one.seen).text, cleanText(other.seen).text)
    const uncertain = onlyPlain.join('\n')
    return { ...other, ...together('alternative', [one, other]), uncertain }
  })
const body = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 3, arbitrary: html }, { weight: 2, arbitrary: both })

interface File extends Said {
  readonly name: string
  readonly nameSeenPlainly: boolean
}

const file: fc.Arbitrary<File> = fc
  .tuple(phrase, fc.constantFrom('txt', 'png'), fc.boolean(), plain)
  .map(([said, ending, percent, text]) => {
    const name = `${said.replaceAll(/[/\\]/g, ' ')}.${ending}`
    const isPlain = isAscii(name) && !percent
    const parameter = isPlain ? `filename="${name}"` : `filename*=utf-8''${[...bytesOf(name)].map(percentOf).join('')}`
    const disposition = `Content-Disposition: attachment; ${parameter}`
    const isText = ending === 'txt'
    const [type = '', ...rest] = text.headers
    const headers = [isText ? type : 'Content-Type: image/png', ...rest, disposition]
    return { ...text, headers, name, nameSeenPlainly: isPlain, seen: isText ? text.seen : '' }
  })
const percentOf = (byte: number): string =>
  /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${hex(byte).slice(1)}`

export const FLAGS = ['\\Seen', '\\Flagged', '\\Answered', '\\Draft', '$Important', 'Work', 'work2']
/** About midnight, where days part; several at once, whose order their uids decide. */
export const MOMENTS = [-86_401, -86_400, -1, 0, 0, 0, 1, 43_200, 86_399, 86_400].map((one) => 1_750_032_000 + one)
export const IDS = ['one@x.example', 'two@x.example', 'Two@x.example', 'in voice']

const files: fc.Arbitrary<readonly File[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly File[]>([]) },
  fc.array(file, { minLength: 1, maxLength: 2 }),
)

export const letter: fc.Arbitrary<Letter> = fc
  .record({
    from: field('From', phrase, address),
    to: people('To'),
    cc: people('CC'),
    bcc: people('Bcc'),
    subjects: fc.array(field('Subject', phrase, fc.constant('')), { minLength: 0, maxLength: 2 }),
    id: fc.option(fc.constantFrom(...IDS), { nil: undefined }),
    body,
    files,
    flags: fc.subarray(FLAGS),
    received: fc.constantFrom(...MOMENTS),
  })
  .map(({ from, to, cc, bcc, subjects, id, body: text, files: attached, flags, received }) => {
    const header = [from, to, cc, bcc, ...subjects].flatMap((one) => one?.line ?? [])
    const whole = attached.length === 0 ? text : together('mixed', [text, ...attached])
    const idLine = id === undefined ? [] : [`Message-ID: <${id}>`]
    const head = [...header, ...idLine, 'MIME-Version: 1.0', ...whole.headers].join('\r\n')
    const raw = Buffer.concat([bytesOf(`${head}\r\n\r\n`), whole.bytes])
    const named = (only: boolean): string =>
      attached.flatMap(({ name, nameSeenPlainly }) => (only && !nameSeenPlainly ? [] : [name])).join(' ')
    const truth: Searchable = {
      ...{ from: from.text, to: to?.text ?? '', cc: cc?.text ?? '', bcc: bcc?.text ?? '' },
      subject: subjects.map((one) => one.text).join(' '),
      ...{ filenames: named(false), hasAttachment: attached.length > 0, body: text.seen },
      attachmentTexts: attached.map((one) => one.seen),
      uncertain: text.uncertain ?? '',
      ...{ flags, size: raw.length, received },
      ...(id !== undefined && { messageId: id }),
    }
    return { raw, truth, plainly: { body: text.plainly, filenames: named(true) } }
  })
