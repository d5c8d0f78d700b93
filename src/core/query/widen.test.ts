import { expect, test } from 'vitest'
import { parseQuery } from './parse.ts'
import type { SearchKey } from './search-key.ts'
import { toSearchKey } from './widen.ts'

const text = (contains: string): SearchKey => ({ kind: 'text', contains })
const seen: SearchKey = { kind: 'flag', flag: '\\Seen' }
const unseen: SearchKey = { kind: 'unflag', flag: '\\Seen' }
const all: SearchKey = { kind: 'all' }

test.each<[string, SearchKey, boolean]>([
  ['', all, true],
  ['is:read', seen, true],
  ['is:unread', unseen, true],
  ['-(is:read larger:5)', { kind: 'or', of: [unseen, { kind: 'smaller', bytes: 6 }] }, true],
  ['larger:5', { kind: 'larger', bytes: 5 }, true],
  ['-smaller:5', { kind: 'larger', bytes: 4 }, true],
  ['smaller:0', { kind: 'none' }, true],
  ['larger:5G', { kind: 'larger', bytes: 0xffff_ffff }, false],
  ['smaller:5G', all, false],
  ['Größe', text('größe'), false],
  ['invo*', text('invo'), false],
  ['"a b a"', { kind: 'and', of: [text('a'), text('b')] }, false],
  ['東京', text('東京'), false],
  [
    'from:a subject:b',
    {
      kind: 'and',
      of: [
        { kind: 'from', contains: 'a' },
        { kind: 'subject', contains: 'b' },
      ],
    },
    false,
  ],
  ['a OR is:read', { kind: 'or', of: [text('a'), seen] }, false],
  ['-a', all, false],
  ['-a is:read', seen, false],
  ['-a OR is:read', all, false],
  ['-(a OR is:read)', unseen, false],
  ['has:attachment', all, false],
  ['has:uncertain', all, false],
  ['-has:uncertain', all, false],
  ['filename:pdf is:read', seen, false],
  ['rfc822msgid:x@y', { kind: 'header', name: 'Message-ID', contains: 'x@y' }, false],
  ['rfc822msgid:"x y"', all, false],
  ['after:2024/03/01', { kind: 'since', day: '2024-02-29' }, false],
  ['before:2024/03/01', { kind: 'before', day: '2024-03-02' }, false],
  ['-before:2024/03/01', { kind: 'since', day: '2024-02-29' }, false],
  ['after:1970/01/01', all, false],
  ['before:9999/12/31', all, false],
  ['keyword:$Junk', { kind: 'flag', flag: '$Junk' }, true],
  ['keyword:"two words"', all, false],
  ['keyword:\\Strange', all, false],
])('%j is asked as %j', (query, key, exact) => {
  expect(toSearchKey(parseQuery(query, 0))).toEqual({ key, exact })
})
