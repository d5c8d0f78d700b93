import { expect, test } from 'vitest'
import { MAX_QUERY_NESTING, parseQuery } from './parse.ts'
import { printQuery } from './print.ts'
import type { Query } from './query.ts'

test.each([
  ['', ''],
  ['a b OR c', 'a b OR c'],
  ['(a b) OR c', '(a b) OR c'],
  ['{a {b c}}', 'a OR b OR c'],
  ['-(a b)', '-(a b)'],
  ['-(-(a b))', 'a b'],
  ['from:(alice OR "bob b")', 'from:alice OR from:"bob b"'],
  ['subject:"a b*"', 'subject:"a b*"'],
  ['from:"me" "me"', 'from:"me" "me"'],
  ['is:unread -is:draft', 'is:unread -is:draft'],
  ['is:flagged keyword:$Junk', 'is:starred keyword:$Junk'],
  ['in:"Sent Items" label:"a ""b"""', 'in:"Sent Items" label:"a ""b"""'],
  ['after:1970/01/02', 'after:000086400'],
  ['before:1969/12/31', 'before:-000086400'],
  ['larger:1K', 'larger:1024'],
  ['rfc822msgid:<x@y>', 'rfc822msgid:x@y'],
])('%s is printed as %s', (text, printed) => {
  expect(printQuery(parseQuery(text, 0))).toBe(printed)
})

test.each<[Query, string]>([
  [{ kind: 'none' }, 'smaller:0'],
  [{ kind: 'or', of: [] }, 'smaller:0'],
  [{ kind: 'not', of: { kind: 'received' } }, '-(-smaller:0)'],
  [{ kind: 'received', from: 1e9, before: 2e9 }, 'after:1000000000 before:2000000000'],
  [{ kind: 'not', of: { kind: 'size', over: 1, under: 5 } }, '-(larger:1 smaller:5)'],
  [{ kind: 'size', over: -1, under: -1 }, 'smaller:0'],
  [{ kind: 'message_id', id: '<x>' }, 'rfc822msgid:<<x>>'],
])('what nobody writes is printed too: %j', (query, printed) => {
  expect(printQuery(query)).toBe(printed)
})

test('what was nested as deep as may be is read again', () => {
  const depth = MAX_QUERY_NESTING
  const query = parseQuery(`${'(a b OR -'.repeat(depth)}c${')'.repeat(depth)}`, 0)
  expect(parseQuery(printQuery(query), 0)).toEqual(query)
})
