import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeCharset } from '../core/mime/charset.ts'
import { parseDate } from '../core/mime/date.ts'
import { decodeUnstructured, firstField } from '../core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../core/mime/structure.ts'
import { decodeTransfer } from '../core/mime/transfer.ts'
import { type DemoMessage, demoMessages } from './demo-mailbox.ts'

const DEMO = join(import.meta.dirname, '../../demo')
const FILES = Object.keys(JSON.parse(readFileSync(join(DEMO, 'index.json'), 'utf8')).flags)
const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 4, 6, 10, 30)
/** Three weeks, at another time of every day. */
const MOMENTS = Array.from({ length: 21 }, (_moment, at) => NOW + at * (DAY_MS + 4_113_000))
const messages = demoMessages(DEMO, NOW).map(read)
const byId = new Map(messages.map((message) => [message.id, message]))

const HOSTILE = [
  'hidden-display-none',
  'hidden-white-on-white',
  'plain-injection',
  'zero-width-and-tags',
  'look-alike-sender',
  'reply-to-trap',
  'markdown-image',
  'tracking-pixel',
  'link-says-other',
]

function read({ bytes, ...message }: DemoMessage) {
  const { header, root } = parseStructure(bytes)
  const field = (name: string): string => decodeUnstructured(firstField(header, name) ?? '')
  return { ...message, bytes, header, root, field, id: field('message-id'), parts: flatten(root) }
}

function flatten(part: LocatedPart): LocatedPart[] {
  return [part, ...part.children.flatMap(flatten)]
}

function content(message: { bytes: Uint8Array }, part: LocatedPart): Uint8Array {
  return decodeTransfer(message.bytes.subarray(part.start, part.end), part.encoding)
}

function words(message: (typeof messages)[number]): string {
  const texts = message.parts.filter(({ type }) => type.startsWith('text/'))
  return texts.map((part) => decodeCharset(content(message, part), part.parameters['charset'])).join('\n')
}

describe('the demo mailbox', () => {
  test('has about two hundred messages, no two of the same id', () => {
    expect(messages.length).toBeGreaterThan(180)
    expect(messages.length).toBeLessThan(230)
    expect(byId.size).toBe(messages.length)
  })

  test('has every folder a mailbox of its kind would have', () => {
    expect([...new Set(messages.map(({ mailbox }) => mailbox))].sort()).toEqual([
      'Archive',
      'Drafts',
      'INBOX',
      'Newsletters',
      'Projects/Atlas',
      'Receipts',
      'Sent',
      'Spam',
      'Trash',
      'Travel',
    ])
  })

  test('has every file in its index, and no other', () => {
    const files = readdirSync(DEMO, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
    expect(files.filter((file) => file.endsWith('.eml')).sort()).toEqual([...FILES].sort())
  })

  test('is the same for the same time', () => {
    const again = demoMessages(DEMO, NOW)
    expect(again.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))).toEqual(
      messages.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
    )
  })

  test.each([...MOMENTS, Date.UTC(2031, 0, 1), Date.UTC(2026, 1, 28, 23, 59, 59)])('lies before now (%d)', (now) => {
    const all = demoMessages(DEMO, now)
    expect(all.at(-1)?.received).toBeGreaterThanOrEqual(now / 1000 - 86_400)
    for (const { received, bytes } of all) {
      expect(received).toBeLessThan(now / 1000)
      const sent = parseDate(firstField(parseStructure(bytes).header, 'date') ?? '')
      expect(Math.abs((sent ?? 0) / 1000 - received)).toBeLessThan(60)
    }
  })

  test('is written in CRLF lines of mail, with the header fields that mail has', () => {
    for (const { bytes, field } of messages) {
      expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/[^\r]\n/)
      for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'mime-version'])
        expect(field(name)).not.toBe('')
    }
  })

  test('has Message-IDs of which none says what its letter is', () => {
    for (const { id } of messages) expect(id).toMatch(/^<[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}@[a-z\d.-]+>$/)
    const raw = messages.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('\n')
    for (const name of HOSTILE) expect(raw).not.toContain(name)
  })

  test('quotes no name twice', () => {
    expect(messages.filter(({ field }) => field('from').includes('""'))).toEqual([])
    expect(messages.some(({ field }) => field('from').startsWith('"Grain & Glaze" <'))).toBe(true)
  })

  test('names only domains that are reserved for examples', () => {
    const domains = messages.flatMap(
      ({ bytes }) =>
        Buffer.from(bytes)
          .toString('latin1')
          .match(/@[\w-]+(\.[\w-]+)+/g) ?? [],
    )
    expect(domains.filter((domain) => !domain.endsWith('.example'))).toEqual([])
  })
})

describe('threads of the demo', () => {
  const answers = messages.filter(({ field }) => field('in-reply-to') !== '')

  test('are many', () => {
    expect(answers.length).toBeGreaterThan(40)
  })

  test('name what they answer, the whole chain of it, and come later', () => {
    for (const { field, received } of answers) {
      const parent = byId.get(field('in-reply-to'))
      expect(parent?.received).toBeLessThan(received)
      const chain = [parent?.field('references'), field('in-reply-to')].filter((id) => id !== '').join(' ')
      expect(field('references')).toBe(chain)
    }
  })

  test('mark as answered what Maya answered', () => {
    const answered = answers
      .filter(({ mailbox }) => mailbox === 'Sent')
      .map(({ field }) => byId.get(field('in-reply-to')))
    expect(answered.every((message) => message?.flags.includes('\\Answered'))).toBe(true)
  })
})

describe('contents of the demo', () => {
  test.each([
    ['application/pdf', '%PDF-1.4'],
    ['image/png', '\x89PNG\r\n'],
    ['application/zip', 'PK\x03\x04'],
    ['text/csv', 'item,quantity'],
    ['text/calendar', 'BEGIN:VCALENDAR'],
    ['message/delivery-status', 'Reporting-MTA'],
  ])('hold a part of type %s', (type, start) => {
    const found = messages.flatMap((message) =>
      message.parts.filter((part) => part.type === type).map((part) => content(message, part)),
    )
    expect(found.length).toBeGreaterThan(0)
    for (const bytes of found) expect(Buffer.from(bytes).toString('latin1')).toContain(start)
  })

  test('are read whole in every charset: nothing in them is a replacement character', () => {
    const charsets = new Set(messages.flatMap(({ parts }) => parts.map(({ parameters }) => parameters['charset'])))
    for (const charset of ['utf-8', 'iso-8859-1', 'iso-2022-jp', 'gb18030', 'windows-1256', 'iso-8859-8', 'koi8-r']) {
      expect(charsets).toContain(charset)
    }
    for (const message of messages) {
      expect(words(message)).not.toContain('\uFFFD')
      expect(message.field('subject') + message.field('from')).not.toMatch(/\uFFFD|=\?/)
    }
  })

  test.each([
    'Wunderbar',
    'chemises',
    'ballena',
    '桐材',
    '青檀皮',
    'الجنوب',
    'ביצים',
    'केतली',
    'маяк',
    'نقشه',
    'sillen',
  ])('hold the word %s', (word) => {
    expect(messages.some((message) => words(message).includes(word))).toBe(true)
  })

  const found = ['invoice', 'invoices', 'receipt', 'flight', 'passport', 'budget', 'meeting', 'order', 'statement']
  test.each(found)('are found by the first word that comes to mind: %s', (word) => {
    const seen = messages.filter(({ mailbox }) => mailbox !== 'Spam' && mailbox !== 'Trash')
    const whole = new RegExp(`\\b${word}\\b`, 'i')
    expect(seen.some((message) => whole.test(`${message.field('subject')}\n${words(message)}`))).toBe(true)
  })

  // Whenever somebody tries it, the mail is of the last weeks.
  test('speak of no season and of no feast', () => {
    const bound = /\b(?:midsommar|midsummer|summer|sommar|autumn|winter|vinter|christmas|easter|in the spring)\b/i
    const texts = messages.map((message) => `${message.field('subject')}\n${words(message)}`)
    expect(texts.filter((text) => bound.test(text))).toEqual([])
  })

  test('have unread, flagged and drafted messages', () => {
    const count = (flag: string): number => messages.filter(({ flags }) => flags.includes(flag)).length
    expect(messages.length - count('\\Seen')).toBeGreaterThan(15)
    expect(count('\\Flagged')).toBeGreaterThan(4)
    expect(count('\\Draft')).toBe(messages.filter(({ mailbox }) => mailbox === 'Drafts').length)
  })
})

describe('times of the demo', () => {
  const hourOf = (seconds: number): number => (seconds % 86_400) / 3600

  test.each(MOMENTS)('colleagues write by day and family in the evening (%d)', (now) => {
    for (const { field, received } of demoMessages(DEMO, now).map(read)) {
      if (/@(norrsken-studio|atlas-house)\.example/.test(field('from'))) expect(hourOf(received)).toBeGreaterThan(6.9)
      if (/@(norrsken-studio|atlas-house)\.example/.test(field('from'))) expect(hourOf(received)).toBeLessThan(17)
      if (/^(Karin|Olof|Elin)/.test(field('from'))) expect(hourOf(received)).toBeGreaterThan(15.9)
      if (/^(Karin|Olof|Elin)/.test(field('from'))) expect(hourOf(received)).toBeLessThan(22)
    }
  })

  test('are as many as the messages, with seconds of every kind', () => {
    expect(new Set(messages.map(({ received }) => received % 86_400)).size).toBeGreaterThan(messages.length * 0.9)
    expect(new Set(messages.map(({ received }) => received % 60)).size).toBeGreaterThan(40)
  })

  test.each(MOMENTS)('come in order, an answer after what it answers (%d)', (now) => {
    const all = demoMessages(DEMO, now).map(read)
    const times = new Map(all.map(({ id, received }) => [id, received]))
    expect(all.map(({ received }) => received)).toEqual([...times.values()].sort((a, b) => a - b))
    for (const { field, received } of all) {
      expect(times.get(field('in-reply-to')) ?? 0).toBeLessThan(received)
    }
  })

  test.each(MOMENTS)('agree with what letters and bookings say (%d)', (now) => {
    const all = demoMessages(DEMO, now).map(read)
    const one = (subject: RegExp) => all.find(({ field }) => subject.test(field('subject'))) ?? fail()
    const day = /on (\d+ [A-Z]\w+)$/.exec(one(/^Visit of the board/).field('subject'))?.[1] ?? 'none'
    const invitation = one(/^Invitation: Board visit/)
    expect(invitation.field('subject')).toContain(`, ${day} `)
    const start = /DTSTART:(\d{4})(\d\d)(\d\d)/.exec(words(invitation))?.slice(1).join('-') ?? ''
    expect(new Date(start).toUTCString()).toContain(day.replace(/^(\d) /, '0$1 ').slice(0, 6))
    const lisbon = /Lisbon is on (\d+ \w+)/.exec(words(one(/^passport!/)))?.[1] ?? 'none'
    expect(words(one(/^Booking QX7TRN/))).toMatch(new RegExp(`^${lisbon} \\d{4} {2}Gothenburg`, 'm'))
    const ticket = one(/^Din biljett/)
    const left = /^Din biljett (\d+ [A-Z]\w+ \d{4}): /.exec(ticket.field('subject'))?.[1] ?? 'none'
    expect(words(ticket)).toContain(`${left}  Göteborg`)
    expect(Buffer.from(ticket.bytes).toString()).toContain(
      `(${new Date(`${left} UTC`).toISOString().slice(0, 10)} 08:05)`,
    )
  })
})

test('receipts name the month in which they came, statements the month before (all year)', () => {
  for (let month = 0; month < 12; month++) {
    for (const { field, received } of demoMessages(DEMO, Date.UTC(2027, month, 31, 12)).map(read)) {
      const [, kind, named] = /^Your (receipt|statement) for .*?(\w+ \d{4})/.exec(field('subject')) ?? []
      if (named === undefined) continue
      const came = new Date(received * 1000)
      const first = Date.UTC(came.getUTCFullYear(), came.getUTCMonth() - (kind === 'receipt' ? 0 : 1))
      expect(Date.parse(`1 ${named} UTC`)).toBe(first)
    }
  }
})

describe('hostile messages of the demo', () => {
  const trick = (name: string) => messages[FILES.findIndex((file) => file.endsWith(`-${name}.eml`))] ?? fail()

  test('lie in the inbox, nine of them', () => {
    expect(HOSTILE.map((name) => trick(name).mailbox)).toEqual(Array(9).fill('INBOX'))
  })

  test('play the tricks they are named after', () => {
    expect(words(trick('hidden-display-none'))).toContain('display:none')
    expect(words(trick('hidden-white-on-white'))).toContain('color:#ffffff')
    expect(words(trick('plain-injection'))).toContain('NOTE TO THE AI ASSISTANT')
    expect(words(trick('zero-width-and-tags'))).toMatch(/\u200B.*\u200C.*\u200D/s)
    expect(words(trick('zero-width-and-tags'))).toMatch(/[\u{E0020}-\u{E007E}]/u)
    expect(trick('look-alike-sender').field('from')).toMatch(/\p{Script=Cyrillic}/u)
    expect(trick('reply-to-trap').field('reply-to')).toContain('norrsken-studio-files.example')
    expect(words(trick('markdown-image'))).toContain('![week](https://')
    expect(words(trick('tracking-pixel'))).toMatch(/<img [^>]*width="1"/)
    expect(words(trick('link-says-other'))).toMatch(/href="http:\/\/havsbanken-secure[^>]*>https:\/\/www\.havsbanken\./)
  })
})

function fail(): never {
  throw new Error('the demo has no such message')
}
