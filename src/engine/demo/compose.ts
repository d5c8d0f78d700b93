/**
 * Puts a letter into MIME, as the programs of its sender and Maya's server would have.
 *
 * INVARIANT: the same letter at the same time is the same bytes.
 */
import { encodeText } from './charset-encoder.ts'
import { Dice } from './dice.ts'
import { ascii, base64Lines, fileParameter, headerAddress, headerText, quotedPrintable } from './encodings.ts'
import type { Attachment, BodyPart, Letter } from './letter.ts'
import { opaqueName } from './message-id.ts'
import { addressOf, domainOf, MAYA } from './people.ts'

type Fields = readonly (readonly [string, string])[]

export interface Thread {
  readonly messageId: string
  /** Message-IDs of what came before, oldest first. */
  readonly references: readonly string[]
}

export function composeLetter(letter: Letter, thread: Thread, received: number): Uint8Array {
  const body = letter.body ?? bodyOf(letter)
  return joined(fieldsOf(letter, thread, received), render(body, opaqueName(letter), 0))
}

export function mailDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')
}

function fieldsOf(letter: Letter, thread: Thread, received: number): Fields {
  const charset = letter.charset ?? 'utf-8'
  // A Japanese program would write every header in the charset of the letter; names in other scripts stay UTF-8.
  const address = (person: string): string =>
    headerAddress(addressOf(person), person === letter.from ? charset : 'utf-8')
  const parent = thread.references.at(-1)
  return [
    ...(isOwn(letter) ? [] : transit(letter, received)),
    ['From', address(letter.from)],
    ['To', letter.to.map(address).join(', ')],
    ...(letter.cc === undefined ? [] : [['Cc', letter.cc.map(address).join(', ')] as const]),
    ['Subject', headerText(letter.subject, charset)],
    ['Date', mailDate(received - secondsUnderWay(letter))],
    ['Message-ID', thread.messageId],
    ...(parent === undefined
      ? []
      : [['In-Reply-To', parent] as const, ['References', thread.references.join('\r\n ')] as const]),
    ...(letter.headers ?? []),
    ['MIME-Version', '1.0'],
  ]
}

function isOwn(letter: Letter): boolean {
  return letter.from === MAYA
}

function secondsUnderWay(letter: Letter): number {
  return isOwn(letter) ? 0 : new Dice(`under way ${letter.id}`).between(1, 9)
}

/** What servers add on the way: the last one says what it knows of the sender. */
function transit({ from, id, authentication = 'pass' }: Letter, received: number): Fields {
  const domain = domainOf(addressOf(from))
  const results = ['spf', 'dkim', 'dmarc'].map((check) => `${check}=${authentication} ${FACT[check]}=${domain}`)
  return [
    ['Return-Path', `<bounce@${domain}>`],
    [
      'Received',
      `from mx.${domain} (mx.${domain} [192.0.2.${(id.length * 7) % 250}])\r\n by mail.lindqvist.example with ESMTPS; ${mailDate(received)}`,
    ],
    ['Authentication-Results', `mail.lindqvist.example;\r\n ${results.join(';\r\n ')}`],
  ]
}

const FACT: Readonly<Record<string, string>> = { spf: 'smtp.mailfrom', dkim: 'header.d', dmarc: 'header.from' }

function bodyOf(letter: Letter): BodyPart {
  const { text, html, attachments = [] } = letter
  const inline = attachments.filter(({ contentId }) => contentId !== undefined)
  const attached = attachments.filter(({ contentId }) => contentId === undefined)
  const pages =
    html === undefined ? [] : [withParts('related', [textPart('html', html, letter), ...inline.map(filePart)])]
  const plain = text === undefined ? [] : [textPart('plain', text, letter)]
  return withParts('mixed', [withParts('alternative', [...plain, ...pages]), ...attached.map(filePart)])
}

/** A multipart of one is that one. */
function withParts(type: string, children: readonly BodyPart[]): BodyPart {
  const [only] = children
  return only !== undefined && children.length === 1 ? only : { kind: 'multipart', type, children }
}

export function textPart(
  subtype: string,
  text: string,
  { charset = 'utf-8', encoding = 'quoted-printable' }: Pick<Letter, 'charset' | 'encoding'>,
): BodyPart {
  const bytes = encodeText(text.replaceAll('\n', '\r\n'), charset)
  const content =
    encoding === '7bit' ? bytes : ascii(encoding === 'base64' ? base64Lines(bytes) : quotedPrintable(bytes))
  return leaf(
    [
      ['Content-Type', `text/${subtype}; charset=${charset}`],
      ['Content-Transfer-Encoding', encoding],
    ],
    content,
  )
}

function filePart({ filename, type, bytes, contentId }: Attachment): BodyPart {
  const disposition = contentId === undefined ? 'attachment' : 'inline'
  return leaf(
    [
      ['Content-Type', `${type}; ${fileParameter('name', filename)}`],
      ['Content-Disposition', `${disposition}; ${fileParameter('filename', filename)}`],
      ['Content-Transfer-Encoding', 'base64'],
      ...(contentId === undefined ? [] : [['Content-ID', `<${contentId}>`] as const]),
    ],
    ascii(base64Lines(bytes)),
  )
}

export function leaf(headers: Fields, content: Uint8Array): BodyPart {
  return { kind: 'leaf', headers, content }
}

interface Rendered {
  readonly headers: Fields
  readonly content: Uint8Array
}

function render(part: BodyPart, id: string, depth: number): Rendered {
  if (part.kind === 'leaf') return part
  const boundary = `=_${id}_${depth}`
  const pieces = part.children.flatMap((child, at) => {
    const { headers, content } = render(child, `${id}.${at}`, depth + 1)
    return [ascii(`--${boundary}\r\n`), joined(headers, { headers: [], content }), ascii('\r\n')]
  })
  const type = `multipart/${part.type};\r\n boundary="${boundary}"`
  return { headers: [['Content-Type', type]], content: concat([...pieces, ascii(`--${boundary}--\r\n`)]) }
}

function joined(fields: Fields, { headers, content }: Rendered): Uint8Array {
  const lines = [...fields, ...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  // All ASCII but for addresses in other scripts, which stand as they are (RFC 6532).
  return concat([new TextEncoder().encode(`${lines.join('')}\r\n`), content])
}

export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
