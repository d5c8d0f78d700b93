import { expect, test } from 'vitest'
import type { Part } from '../mime/part.ts'
import { matches, needsOfQuery, type Searchable, searchableFrom } from './evaluate.ts'
import { parseQuery } from './parse.ts'

const NOW = Date.UTC(2026, 5, 15) / 1000
const message: Searchable = {
  from: 'Alice Ärmel <alice@example.com>',
  to: 'bob@example.org',
  cc: 'team@example.net',
  bcc: '',
  subject: 'Re: Annual report, 東京都庁 edition',
  filenames: 'report-2024.pdf photo.jpeg',
  body: 'Hello Bob,\nplease find the snake_case invoices attached.',
  attachmentTexts: ['first page', 'second sheet'],
  flags: ['\\Seen', '$important'],
  size: 5000,
  received: NOW - 86_400,
  messageId: 'x.Y@example.com',
  hasAttachment: true,
}
const found = (text: string, searched = message): boolean => matches(parseQuery(text, NOW), searched)

test.each([
  '',
  'annual',
  'ANNUAL report',
  '"annual report"',
  '"annual rep*"',
  'annu*',
  'from:alice@example.com',
  'from:"alice ärmel"',
  'to:example.org cc:team',
  'subject:re',
  '都庁',
  '京都',
  '東',
  'subject:"report 東京都庁"',
  '"庁 edition"',
  'filename:pdf',
  'filename:"2024 pdf"',
  'invoices',
  'body:snake',
  'body:snake_case',
  'first',
  '"second sheet"',
  'has:attachment',
  'is:read',
  'is:important',
  'after:2026/06/14',
  'before:2026/06/15',
  'newer_than:1d',
  'larger:4999 smaller:5001',
  'rfc822msgid:<x.Y@example.com>',
  'nowhere OR annual',
  '-nowhere',
  '-(annual nowhere)',
])('%s finds it', (text) => {
  expect(found(text)).toBe(true)
})

test.each([
  'annu',
  'nnual*',
  '"report annual"',
  'invoice',
  'from:bob',
  'from:armel',
  'subject:"東京 edition"',
  '"com bob"',
  '"page second"',
  'body:annual',
  'body:first',
  'bcc:bob',
  'is:unread',
  'is:starred',
  'after:2026/06/15',
  'before:2026/06/14',
  'older_than:1d',
  'larger:5000',
  'smaller:5000',
  'rfc822msgid:x.y@example.com',
  '-annual',
  'annual nowhere',
])('%s does not', (text) => {
  expect(found(text)).toBe(false)
})

test('what has not been read does not match', () => {
  const { body: _body, attachmentTexts: _texts, messageId: _id, ...unread } = message
  expect(found('invoices', unread)).toBe(false)
  expect(found('rfc822msgid:undefined', unread)).toBe(false)
  expect(found('annual', unread)).toBe(true)
})

test('uncertain words are found only where the query asks for uncertain text', () => {
  const unsure = { ...message, uncertain: 'forward everything', uncertainAttachments: ['white ink'] }
  for (const text of ['forward', 'body:forward', '"forward everything"', 'ink', 'for* OR white']) {
    expect(found(text, unsure)).toBe(false)
    expect(found(`-(${text})`, unsure)).toBe(true)
    expect(found(`has:uncertain (${text})`, unsure)).toBe(true)
  }
  expect(found('has:uncertain', unsure)).toBe(true)
  expect(found('has:uncertain annual', unsure)).toBe(true)
  expect(found('has:uncertain body:ink', unsure)).toBe(false)
  expect(found('has:uncertain nowhere', unsure)).toBe(false)
  expect(found('-has:uncertain', unsure)).toBe(false)
  expect(found('has:uncertain')).toBe(false)
  expect(found('-has:uncertain annual')).toBe(true)
  expect(found('has:uncertain', { ...message, uncertain: '', uncertainAttachments: ['x'] })).toBe(true)
})

test('places are settled before', () => {
  expect(() => found('in:inbox')).toThrow('settled')
  expect(() => found('a OR label:x')).toThrow('settled')
})

test.each([
  ['', {}],
  ['is:unread larger:1 newer_than:1d', {}],
  ['from:a', { header: true }],
  ['rfc822msgid:a', { header: true }],
  ['has:attachment', { structure: true }],
  ['has:uncertain', { text: true }],
  ['-filename:a', { structure: true }],
  ['body:a', { text: true }],
  ['subject:a OR (body:b filename:c)', { header: true, structure: true, text: true }],
  ['a', { header: true, structure: true, text: true }],
])('%j needs %j', (text, needs) => {
  expect(needsOfQuery(parseQuery(text, NOW))).toEqual({ header: false, structure: false, text: false, ...needs })
})

const part = (type: string, filename?: string, children: readonly Part[] = []): Part => ({
  id: '1',
  type,
  parameters: {},
  disposition: filename === undefined ? undefined : 'attachment',
  filename,
  contentId: undefined,
  encoding: '7bit',
  size: 1,
  children,
})
const evidence = {
  header: [
    { name: 'FROM', value: '=?utf-8?Q?Zo=C3=AB?= <z@example.com>' },
    { name: 'Subject', value: 'one' },
    { name: 'subject', value: 'two' },
    { name: 'Message-ID', value: ' <id@example.com> (comment)' },
  ],
  headerCut: false,
  structure: part('multipart/mixed', undefined, [
    part('text/plain'),
    part('application/pdf', 'a.pdf'),
    part('image/png', 'b c.png'),
  ]),
  flags: ['\\Seen'],
  size: 10,
  received: 20,
}

test('what was fetched becomes what is searched', () => {
  expect(searchableFrom(evidence)).toEqual({
    from: 'Zoë <z@example.com>',
    to: '',
    cc: '',
    bcc: '',
    subject: 'one two',
    filenames: 'a.pdf b c.png',
    hasAttachment: true,
    flags: ['\\Seen'],
    size: 10,
    received: 20,
    messageId: 'id@example.com',
  })
  expect(searchableFrom(evidence, { body: 'b', attachments: ['t'] })).toMatchObject({
    body: 'b',
    attachmentTexts: ['t'],
  })
  expect(searchableFrom({ ...evidence, structure: undefined })).toMatchObject({ filenames: '', hasAttachment: false })
})

test('nothing is found in a header that was cut', () => {
  const cut = searchableFrom({ ...evidence, headerCut: true })
  expect(cut).toMatchObject({ from: '', subject: '', filenames: 'a.pdf b c.png' })
  expect(cut.messageId).toBeUndefined()
})
