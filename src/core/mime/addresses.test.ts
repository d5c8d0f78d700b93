import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_ADDRESSES, scanAddresses } from './address-scan.ts'
import { formatAddresses, parseAddresses } from './addresses.ts'

test.each<[string, string, [name: string, address: string][]]>([
  ['a bare address', 'a@b.example', [['', 'a@b.example']]],
  ['a name', 'Ann Bee <a@b.example>', [['Ann Bee', 'a@b.example']]],
  ['a quoted name', '"Bee, Ann \\"A\\"" <a@b.example>', [['Bee, Ann "A"', 'a@b.example']]],
  ['an encoded name', '=?utf-8?q?Ren=C3=A9?= =?utf-8?q?e?= B <r@b>', [['Renée B', 'r@b']]],
  ['an encoded name with a comma in it', '=?utf-8?q?Bee,_Ann?= <a@b>', [['Bee, Ann', 'a@b']]],
  ['an encoded word in quotes', '"=?utf-8?q?Ren=C3=A9?=" <r@b>', [['René', 'r@b']]],
  [
    'several',
    'a@b, C <c@d>,, e@f',
    [
      ['', 'a@b'],
      ['C', 'c@d'],
      ['', 'e@f'],
    ],
  ],
  [
    'semicolons between',
    'a@b; c@d',
    [
      ['', 'a@b'],
      ['', 'c@d'],
    ],
  ],
  ['a name in a comment', 'a@b (Ann (the) Bee)', [['Ann (the) Bee', 'a@b']]],
  ['a comment before angle brackets', 'ceo@corp (eve) <eve@evil>', [['ceo@corp', 'eve@evil']]],
  [
    'a group',
    'Friends: a@b, C <c@d>;, e@f',
    [
      ['', 'a@b'],
      ['C', 'c@d'],
      ['', 'e@f'],
    ],
  ],
  ['an empty group', 'undisclosed-recipients:;', []],
  ['a source route', '<@x.example,@y:a@b>', [['', 'a@b']]],
  ['nothing in angle brackets', '<>', [['', '']]],
  ['a name with nothing', 'MAILER-DAEMON <>', [['MAILER-DAEMON', '']]],
  ['a word alone', 'root', [['', 'root']]],
  ['words alone', 'Ann Bee', [['Ann Bee', '']]],
  ['a name before a bare address', 'Ann a@b', [['Ann', 'a@b']]],
  ['blanks around the at sign', 'a @ b.example', [['', 'a@b.example']]],
  ['two addresses without a comma', 'a@b c@d', [['', 'a@b c@d']]],
  [
    'two angle brackets without a comma',
    'A <a@b> C <c@d>',
    [
      ['A', 'a@b'],
      ['C', 'c@d'],
    ],
  ],
  [
    'words after angle brackets',
    '<a@b> Ann, c@d',
    [
      ['', 'a@b'],
      ['', 'c@d'],
    ],
  ],
  ['a trailing dot, which is kept', 'Bill <bill@host.>', [['Bill', 'bill@host.']]],
  ['upper case, which is kept', 'A@B.Example', [['', 'A@B.Example']]],
  ['a quoted local part', '"x@y z"@b.example', [['', '"x@y z"@b.example']]],
  [
    'a domain literal',
    'a@[IPv6:::1], b@c',
    [
      ['', 'a@[IPv6:::1]'],
      ['', 'b@c'],
    ],
  ],
  ['an encoded address, which is none', '=?utf-8?b?Y2VvQGNvcnA=?=', [['ceo@corp', '']]],
  ['an encoded list, which is one name', '=?utf-8?q?a=40b,_c=40d?= <e@f>', [['a@b, c@d', 'e@f']]],
  ['an encoded local part, as written', '=?utf-8?q?=40evil?=@corp', [['', '=?utf-8?q?=40evil?=@corp']]],
  ['a NUL', 'a@b\u0000@c', [['', 'a@b @c']]],
  [
    'an unfinished quote',
    '"Ann <a@b>, c@d',
    [
      ['"Ann', 'a@b'],
      ['', 'c@d'],
    ],
  ],
  [
    'an unfinished comment',
    'a@b (x, c@d',
    [
      ['(x', 'a@b'],
      ['', 'c@d'],
    ],
  ],
  [
    'an unfinished angle bracket',
    '<a@b, c@d',
    [
      ['', 'a@b'],
      ['', 'c@d'],
    ],
  ],
  ['nothing', ' , ;', []],
])('reads %s', (_name, value, expected) => {
  expect(parseAddresses(value).map(({ name, address }) => [name, address])).toEqual(expected)
})

test('what is unusual is counted', () => {
  const { groups, routes, comments, encodedAddresses } = scanAddresses('G: <@r:a@b> (c);, =?utf-8?q?x?=@y')
  expect({ groups, routes, comments, encodedAddresses }).toEqual({
    groups: 1,
    routes: 1,
    comments: 1,
    encodedAddresses: 1,
  })
})

test('a list is written on one line, names with specials quoted', () => {
  const list = [
    { name: 'Ann Bee', address: 'a@b' },
    { name: 'Bee, "Ann"', address: 'a@b' },
    { name: 'c@d', address: 'e@f' },
    { name: '', address: 'g@h' },
    { name: '', address: '' },
    { name: 'Nobody', address: '' },
    { name: '', address: 'a@b c@d' },
  ]
  expect(formatAddresses(list)).toBe(
    'Ann Bee <a@b>, "Bee, \\"Ann\\"" <a@b>, "c@d" <e@f>, g@h, <>, Nobody <>, <a@b c@d>',
  )
})

test('blanks in a row are kept', () => {
  expect(parseAddresses(formatAddresses([{ name: 'a  b', address: 'a@b' }]))).toEqual([
    { name: 'a  b', address: 'a@b' },
  ])
})

test('what is written can be read again', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab ,;:<>@"\\().é') }).map((text) => text.trim())
  const address = fc.stringMatching(/^[a-z0-9.+%!-]{1,8}@[a-z0-9.-]{1,8}$/)
  fc.assert(
    fc.property(fc.array(fc.record({ name, address }), { minLength: 1, maxLength: 5 }), (list) => {
      expect(parseAddresses(formatAddresses(list))).toEqual(list)
    }),
    { numRuns: 1000 },
  )
})

test('an encoded word never adds an address', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'a@b,;:<>"( ') }), (text) => {
      const word = `=?utf-8?B?${btoa(text)}?=`
      expect(parseAddresses(`${word} <a@b>`).map(({ address }) => address)).toEqual(['a@b'])
      expect(parseAddresses(word).map(({ address }) => address)).toEqual([''])
    }),
  )
})

test('whatever the text, names and addresses are one line', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab@,;:<>"\\()[]=?utf-8qB \r\n\t\u0000é') })
  fc.assert(
    fc.property(text, (value) => {
      for (const { name, address } of parseAddresses(value)) expect(name + address).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('long lists are read whole, and there is an end to them', () => {
  expect(parseAddresses('A <a@b>, '.repeat(50_000))).toHaveLength(50_000)
  expect(parseAddresses('a@b,'.repeat(MAX_ADDRESSES + 10))).toHaveLength(MAX_ADDRESSES)
})

test.each([':', '(', '"', '<', '<"', '=?', '(a', 'a:', '[', '@', '\\', 'x '])(
  '%j a hundred thousand times is read in one pass',
  (piece) => {
    expect(Array.isArray(parseAddresses(piece.repeat(100_000)))).toBe(true)
    expect(Array.isArray(parseAddresses(`a@b ${piece.repeat(100_000)}`))).toBe(true)
  },
)
