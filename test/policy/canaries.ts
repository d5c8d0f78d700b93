/** Messages whose every field says where it comes from, and the means to find such a field in whatever came out. */
import { inflateRawSync } from 'node:zlib'
import type { SeedMessage } from '../mail-source/messages.ts'

export const FIELDS = [
  'size',
  'flags',
  'date',
  'from',
  'to',
  'cc',
  'subject',
  'messageId',
  'header',
  'text',
  'html',
  'filename',
  'content',
  'received',
] as const

export type Field = (typeof FIELDS)[number]

export interface Canary extends SeedMessage {
  readonly marks: Readonly<Record<Field, RegExp>>
}

/** `number` makes the numbers and dates of this one its own; at most 80. */
export function canary(tag: string, number: number, domain = 'example.com'): Canary {
  const mark = (field: Field): string => `c${field.toLowerCase()}-${tag}`
  const sent = new Date(Date.UTC(2011, 2, 1 + number, 11, 12, 13))
  const received = Date.UTC(2009, 4, 1 + number, 7, 8, 9) / 1000
  const raw = padded(letterOf(mark, sent, domain), 50_000 + 97 * number)
  const day = [sent.getUTCDate(), sent.toUTCString().slice(8, 11), sent.getUTCFullYear()].join(' ')
  return {
    raw,
    flags: [mark('flags')],
    received,
    marks: {
      ...(Object.fromEntries(FIELDS.map((field) => [field, new RegExp(`${mark(field)}\\b`)])) as Canary['marks']),
      size: new RegExp(`\\b${raw.length}\\b`),
      date: new RegExp(`${sent.toISOString().slice(0, 10)}|\\b0?${day}`),
      received: new RegExp(`${new Date(received * 1000).toISOString().slice(0, 10)}|\\b${received}`),
    },
  }
}

function letterOf(mark: (field: Field) => string, sent: Date, domain: string): string {
  const attached = Buffer.from(`attached: ${mark('content')} and so on`).toString('base64')
  return [
    `From: Sender <${mark('from')}@${domain}>`,
    `To: ${mark('to')}@example.net`,
    `Cc: ${mark('cc')}@example.net`,
    `Subject: ${mark('subject')}`,
    `Message-ID: <${mark('messageId')}@example.com>`,
    `Date: ${sent.toUTCString().replace('GMT', '+0000')}`,
    `X-Note: ${mark('header')}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Plain words: ${mark('text')}.`,
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p title="${mark('html')}">Words: <b>${mark('html')}</b></p>`,
    '--inner--',
    '--outer',
    `Content-Type: text/x-note; name="${mark('filename')}.txt"`,
    `Content-Disposition: attachment; filename="${mark('filename')}.txt"`,
    'Content-Transfer-Encoding: base64',
    '',
    attached,
    '--outer--',
    '',
  ].join('\r\n')
}

/** What follows the last boundary is shown by nobody. */
function padded(letter: string, size: number): string {
  const line = `${'.'.repeat(76)}\r\n`
  const room = size - letter.length
  return `${letter}${line.repeat(room / line.length)}${'.'.repeat(room % line.length)}`
}

/** The text itself and whatever can be read out of the tokens and the base64 in it, and in that. */
export function unfolded(text: string): string {
  const once = packedIn(text).flatMap(decoded)
  return [text, ...once, ...once.flatMap(packedIn).flatMap(decoded)].join('\n')
}

function packedIn(text: string): readonly string[] {
  return text.match(/[A-Za-z0-9+/_-]{24,}={0,2}/g) ?? []
}

function decoded(token: string): string[] {
  // A sealed token begins with a letter that says its form.
  const readings = [token, token.slice(1)].map((spelling) => Buffer.from(spelling, 'base64url'))
  return readings.flatMap((bytes) => [bytes.toString('latin1'), inflated(bytes)])
}

function inflated(bytes: Buffer): string {
  try {
    return inflateRawSync(bytes).toString('latin1')
  } catch {
    return ''
  }
}

/** Which fields of a message stand in a text that has been unfolded. */
export function fieldsIn(text: string, { marks }: Canary): Field[] {
  return FIELDS.filter((field) => marks[field].test(text))
}
