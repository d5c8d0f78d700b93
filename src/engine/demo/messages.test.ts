import { describe, expect, test } from 'vitest'
import { decodeCharset } from '../../core/mime/charset.ts'
import { parseDate } from '../../core/mime/date.ts'
import { decodeUnstructured, firstField } from '../../core/mime/header.ts'
import { type LocatedPart, parseStructure } from '../../core/mime/structure.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import type { DemoMessage } from './letter.ts'
import { demoMessages } from './messages.ts'

const NOW = Date.UTC(2026, 4, 6, 10, 30)
const messages = [...demoMessages(NOW)].map(read)
const byId = new Map(messages.map((message) => [message.id, message]))

/** The ones that want something from the agent that reads them. */
const HOSTILE = [
  '<hidden-display-none@felt-and-fold.example>',
  '<hidden-white-on-white@harbour-events.example>',
  '<plain-injection@it-support-desk.example>',
  '<zero-width-and-tags@ahlgren-print.example>',
  '<look-alike-sender@atlas-hxuse.example>',
  '<reply-to-trap@norrsken-studio.example>',
  '<markdown-image@calendar-digest.example>',
  '<tracking-pixel@brightside-furniture.example>',
  '<link-says-other@havsbanken-secure.example>',
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

  test('is the same for the same time', () => {
    const again = [...demoMessages(NOW)]
    expect(again.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))).toEqual(
      messages.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
    )
  })

  test.each([NOW, Date.UTC(2031, 0, 1), Date.UTC(2026, 1, 28, 23, 59, 59)])('lies before now (%d)', (now) => {
    for (const { received, bytes } of demoMessages(now)) {
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
    'jordgubbar',
  ])('hold the word %s', (word) => {
    expect(messages.some((message) => words(message).includes(word))).toBe(true)
  })

  test('have unread, flagged and drafted messages', () => {
    const count = (flag: string): number => messages.filter(({ flags }) => flags.includes(flag)).length
    expect(messages.length - count('\\Seen')).toBeGreaterThan(15)
    expect(count('\\Flagged')).toBeGreaterThan(4)
    expect(count('\\Draft')).toBe(messages.filter(({ mailbox }) => mailbox === 'Drafts').length)
  })
})

describe('hostile messages of the demo', () => {
  test.each(HOSTILE)('%s lies in the inbox', (id) => {
    expect(byId.get(id)?.mailbox).toBe('INBOX')
  })

  test('play the tricks they are named after', () => {
    const text = (at: number): string => words(byId.get(HOSTILE[at] ?? '') ?? messages[0] ?? fail())
    expect(text(0)).toContain('display:none')
    expect(text(1)).toContain('color:#ffffff')
    expect(text(3)).toMatch(/\u200B.*\u200C.*\u200D/s)
    expect(text(3)).toMatch(/[\u{E0020}-\u{E007E}]/u)
    expect(byId.get(HOSTILE[4] ?? '')?.field('from')).toMatch(/\p{Script=Cyrillic}/u)
    expect(byId.get(HOSTILE[5] ?? '')?.field('reply-to')).toContain('norrsken-studio-files.example')
    expect(text(6)).toContain('![week](https://')
    expect(text(7)).toMatch(/<img [^>]*width="1"/)
  })

  function fail(): never {
    throw new Error('the demo is empty')
  }
})
