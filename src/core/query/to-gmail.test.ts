import { expect, test } from 'vitest'
import { parseQuery } from './parse.ts'
import { toGmailQuery } from './to-gmail.ts'

test.each<[string, string, boolean]>([
  ['', '', true],
  ['is:unread', '-(is:read)', true],
  ['is:starred is:draft', 'is:starred in:drafts', true],
  ['is:starred OR is:important', '((is:starred) OR (is:important))', true],
  ['is:answered', '', false],
  ['-is:answered', '', false],
  ['smaller:0 OR -smaller:0', '', false],
  ['invoice', '"invoice"', false],
  ['-invoice', '', false],
  ['OR-wells', '"or wells"', false],
  ['invo*', '', false],
  ['"annual rep*"', '"annual"', false],
  ['from:"me"', 'from:"me"', false],
  ['from:alice@example.com', 'from:"alice example com"', false],
  ['body:x', '"x"', false],
  ['東京 tower', '"tower"', false],
  ['subject:"a b 東京 c"', 'subject:"a b" subject:"c"', false],
  ['a OR 東京', '', false],
  ['after:2024/03/01', 'after:1709164800', false],
  ['before:2024/03/01', 'before:1709337600', false],
  ['larger:1M smaller:2M', 'larger:1048576 smaller:2097152', false],
  ['rfc822msgid:<x@y>', 'rfc822msgid:x@y', false],
  ['rfc822msgid:"x) OR (y"', '', false],
  ['in:Inbox', 'in:inbox', true],
  ['in:anywhere', '', true],
  ['in:Clients', '', false],
  ['label:work', '', false],
  ['has:attachment', '', false],
  ['has:uncertain invoice from:ann', 'from:"ann"', false],
])('%j is %j', (query, text, exact) => {
  expect(toGmailQuery(parseQuery(query, 0))).toEqual({ text, exact })
})

test('nothing matches what nothing matches', () => {
  expect(toGmailQuery({ kind: 'none' })).toEqual({ text: '(in:inbox -in:inbox)', exact: true })
  expect(toGmailQuery({ kind: 'or', of: [] })).toEqual({ text: '(in:inbox -in:inbox)', exact: true })
  expect(toGmailQuery({ kind: 'not', of: { kind: 'all' } })).toEqual({ text: '(in:inbox -in:inbox)', exact: true })
})
