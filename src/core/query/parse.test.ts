import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { parseQuery } from './parse.ts'
import type { Query, WordField } from './query.ts'

const NOW = Date.UTC(2026, 5, 15, 12) / 1000
const DAY = 86_400
const day = (text: string): number => Date.parse(text) / 1000
const parse = (text: string): Query => parseQuery(text, NOW)
const words = (written: string, field: WordField = 'any', open = false): Query => ({
  kind: 'words',
  field,
  pieces: written.split(' '),
  open,
})
const and = (...of: Query[]): Query => ({ kind: 'and', of })
const or = (...of: Query[]): Query => ({ kind: 'or', of })
const not = (of: Query): Query => ({ kind: 'not', of })
const flag = (name: string): Query => ({ kind: 'flag', flag: name })

const [a, b, c] = [words('a'), words('b'), words('c')]

test.each<[string, Query]>([
  ['', { kind: 'all' }],
  [' \u3000', { kind: 'all' }],
  ['Invoice', words('invoice')],
  ['invo*', words('invo', 'any', true)],
  ['"annual report"', words('annual report')],
  ['"annual rep*"', words('annual rep', 'any', true)],
  ['"annual rep"*', words('annual rep', 'any', true)],
  ['"annual , *"', words('annual')],
  ['"say ""hi"" now"', words('say hi now')],
  ['alice@example.com', words('alice example com')],
  ['-a', not(a)],
  ['--a', not(a)],
  ['a b', and(a, b)],
  ['a AND b', and(a, b)],
  ['a or b', and(a, words('or'), b)],
  ['a OR b', or(a, b)],
  ['a b OR c', and(a, or(b, c))],
  ['a OR b c', and(or(a, b), c)],
  ['a AND b OR c', and(a, or(b, c))],
  ['(a b) OR c', or(and(a, b), c)],
  ['{a b c}', or(a, b, c)],
  ['{a OR b (c a)}', or(a, b, and(c, a))],
  ['-{a b}', not(or(a, b))],
  ['-(a -b)', not(and(a, not(b)))],
  ['a"b"(c)', and(a, b, c)],
  ['ORACLE', words('oracle')],
  ['from:alice', words('alice', 'from')],
  ['FROM:Alice', words('alice', 'from')],
  ['from:"me"', words('me', 'from')],
  ['to:@example.com', words('example com', 'to')],
  ['cc:x bcc:y', and(words('x', 'cc'), words('y', 'bcc'))],
  ['subject:"a b"', words('a b', 'subject')],
  ['subject:"a b"*', words('a b', 'subject', true)],
  ['subject:re:a', words('re a', 'subject')],
  ['from:(alice OR bob)', or(words('alice', 'from'), words('bob', 'from'))],
  ['from:{alice bob}', or(words('alice', 'from'), words('bob', 'from'))],
  ['subject:(a -"b c")', and(words('a', 'subject'), not(words('b c', 'subject')))],
  ['-subject:(a (b OR c))', not(and(words('a', 'subject'), or(words('b', 'subject'), words('c', 'subject'))))],
  ['body:x filename:pdf', and(words('x', 'body'), words('pdf', 'filename'))],
  ['has:attachment', { kind: 'attachment' }],
  ['has:uncertain', { kind: 'uncertain', where: 'any' }],
  [
    'has:uncertain a from:b',
    {
      kind: 'and',
      of: [
        { kind: 'uncertain', where: 'any' },
        { kind: 'words', field: 'any', pieces: ['a'], open: false, uncertain: true },
        { kind: 'words', field: 'from', pieces: ['b'], open: false },
      ],
    },
  ],
  ['-has:Attachment', not({ kind: 'attachment' })],
  ['is:unread', not(flag('\\Seen'))],
  ['is:read', flag('\\Seen')],
  ['is:starred', flag('\\Flagged')],
  ['is:flagged', flag('\\Flagged')],
  ['is:answered', flag('\\Answered')],
  ['is:draft', flag('\\Draft')],
  ['is:important', flag('$Important')],
  ['is:(unread starred)', and(not(flag('\\Seen')), flag('\\Flagged'))],
  ['keyword:$Forwarded', flag('$Forwarded')],
  ['in:inbox', { kind: 'in', place: 'inbox' }],
  ['in:"Sent Items"', { kind: 'in', place: 'Sent Items' }],
  ['in:[Gmail]/Spam', { kind: 'in', place: '[Gmail]/Spam' }],
  ['label:Work', { kind: 'label', label: 'Work' }],
  ['after:2024/1/5', { kind: 'received', from: day('2024-01-05') }],
  ['since:2024-02-29', { kind: 'received', from: day('2024-02-29') }],
  ['newer:1969/12/31', { kind: 'received', from: -DAY }],
  ['before:2024/01/05', { kind: 'received', before: day('2024-01-05') }],
  ['older:1700000000', { kind: 'received', before: 1_700_000_000 }],
  ['newer_than:2d', { kind: 'received', from: NOW - 2 * DAY }],
  ['newer_than:12h', { kind: 'received', from: NOW - DAY / 2 }],
  ['older_than:3w', { kind: 'received', before: NOW - 21 * DAY }],
  ['older_than:1M', { kind: 'received', before: NOW - 30 * DAY }],
  ['older_than:1y', { kind: 'received', before: NOW - 365 * DAY }],
  ['larger:10M', { kind: 'size', over: 10 * 1024 ** 2 }],
  ['larger:2kb', { kind: 'size', over: 2048 }],
  ['size:5', { kind: 'size', over: 5 }],
  ['smaller:1G', { kind: 'size', under: 1024 ** 3 }],
  ['rfc822msgid:<x.y@z>', { kind: 'message_id', id: 'x.y@z' }],
  ['rfc822msgid:x.y@z', { kind: 'message_id', id: 'x.y@z' }],
])('%j is read', (text, query) => {
  expect(parse(text)).toEqual(query)
})

test.each<[string, string]>([
  ['10:30', '10 30'],
  ['http://x.example/a?b', 'http x example a b'],
  ['Re:', 're'],
  ['re:budget', 're budget'],
  ['Fwd:budget', 'fwd budget'],
  ['Note: ', 'note'],
  [':x:', 'x'],
  ['1a:b', '1a b'],
])('a word that merely holds a colon is a word: %s', (text, pieces) => {
  expect(parse(text)).toEqual(words(pieces))
})

const complaint = (text: string): { readonly message: string; readonly position: unknown } => {
  try {
    parse(text)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_input') throw error
    return { message: error.message, position: error.details?.['position'] }
  }
  throw new Error('it was read')
}

test.each<[string, number, RegExp]>([
  ['foo:bar', 1, /no operator foo:; write one of from:, to:, .*rfc822msgid:, or put the text in double quotes/],
  ['a foo:"b"', 3, /no operator foo:/],
  ['until:2024/01/01', 1, /no operator until:/],
  [`${'x'.repeat(40)}:b`, 1, /no operator that name/],
  ['a ...', 3, /no letter and no digit/],
  ['a - b', 3, /no letter and no digit/],
  ['*', 1, /no letter/],
  ['""', 1, /no letter/],
  ['subject:"!"', 9, /no letter/],
  ['x🎉 "unclosed', 4, /never closed; write a second "/],
  ['a (b', 3, /never closed; write \)/],
  ['{b', 1, /never closed; write }/],
  ['(a}', 3, /closes none/],
  ['a)', 2, /closes none/],
  ['-)', 1, /no letter/],
  ['()', 1, /empty/],
  ['from:{ }', 6, /empty/],
  ['OR a', 1, /OR needs something before it/],
  ['a OR', 3, /OR needs something behind it/],
  ['(a OR) b', 4, /OR needs something behind it/],
  ['a OR AND b', 6, /AND needs something before it/],
  ['{a AND b}', 4, /braces/],
  ['from: alice', 1, /right behind from:; write from:alice@example.com/],
  ['x (subject:)', 4, /right behind subject:/],
  ['from:me', 6, /me stands for nobody here/],
  ['from:(alice OR Me)', 16, /me stands for nobody here/],
  ['from:(subject:x)', 7, /subject: cannot stand in the brackets of from:/],
  ['has:drive', 5, /write has:attachment, has:uncertain$/],
  ['is:constructor', 4, /write is:read, is:unread/],
  ['in:" "', 4, /write in:inbox/],
  ['after:2024/02/30', 7, /write 2024\/01\/31, 2024-01-31 or seconds/],
  ['after:20240131', 7, /needs a day/],
  ['before:2024', 8, /before: needs a day/],
  ['before:2024/01-05', 8, /needs a day/],
  ['older_than:7', 12, /write 12h, 7d/],
  ['larger:big', 8, /write 50000/],
  ['larger:9999999999999999G', 8, /write 50000/],
  ['a\nb', 2, /line break/],
  ['a\tb', 2, /control/],
  ['a\0', 2, /control/],
  ['a\ud800', 2, /half a character/],
])('%j is refused at character %i', (text, position, message) => {
  expect(complaint(text)).toEqual({ message: expect.stringMatching(message), position })
  expect(complaint(text).message).toMatch(new RegExp(`^query, character ${position}: `))
})

test('a query has at most 2,000 characters, however many units they take', () => {
  expect(parse(`a${'🎉'.repeat(1999)}`)).toEqual(a)
  expect(parse('a'.repeat(2000))).toMatchObject({ kind: 'words' })
  expect(complaint('a'.repeat(2001))).toEqual({ message: expect.stringContaining('at most 2,000'), position: 2001 })
  expect(complaint(`${'🎉'.repeat(2000)}a`)).toMatchObject({ position: 2001 })
})

test('brackets stand in each other 50 deep and no deeper', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}a${')'.repeat(depth)}`
  expect(parse(nested(50))).toEqual(a)
  expect(complaint(nested(51))).toEqual({ message: expect.stringContaining('50 deep'), position: 51 })
  expect(complaint('('.repeat(2000))).toMatchObject({ position: 51 })
})

test('a query has at most 120 terms, 8 of them open', () => {
  const terms = (count: number, term: string): string => Array.from({ length: count }, () => term).join(' ')
  expect(parse(`${terms(112, 'is:unread')} ${terms(8, 'x*')}`)).toMatchObject({ kind: 'and' })
  expect(complaint(`{${terms(121, 'a')}}`)).toEqual({ message: expect.stringContaining('120 terms'), position: 242 })
  expect(complaint(terms(9, 'x*'))).toEqual({ message: expect.stringContaining('at most 8 words'), position: 25 })
  // A single character of unspaced script stands for all words that begin with it.
  expect(complaint(terms(9, '京'))).toMatchObject({ position: 17 })
})

test('a complaint repeats nothing of a value', () => {
  for (const text of ['after:hunter2', 'is:hunter2', 'larger:hunter2', '"hunter2', 'has:hunter2', 'x (hunter2']) {
    expect(complaint(text).message).not.toContain('hunter2')
  }
})
