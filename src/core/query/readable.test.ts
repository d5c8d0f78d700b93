import { expect, test } from 'vitest'
import { LEVELS, type Level } from '../policy/level.ts'
import { parseQuery } from './parse.ts'
import { simplify } from './places.ts'
import { printQuery } from './print.ts'
import { asReadAt } from './readable.ts'

const at = (text: string, level: Level): string => printQuery(asReadAt(parseQuery(text, 0), level))
const NEVER = 'smaller:0'

test.each<[string, Level]>([
  ['is:starred', 'METADATA'],
  ['larger:5', 'METADATA'],
  ['label:work', 'METADATA'],
  ['from:a', 'ENVELOPE'],
  ['bcc:a', 'ENVELOPE'],
  ['subject:a', 'ENVELOPE'],
  ['before:1700000000', 'ENVELOPE'],
  ['rfc822msgid:a', 'HEADERS'],
  ['body:a', 'BODY'],
  ['filename:a', 'FULL'],
  ['has:attachment', 'FULL'],
])('%s is asked from %s on', (text, from) => {
  const readable = LEVELS.filter((level) => at(text, level) === text)
  expect(readable).toEqual(LEVELS.slice(LEVELS.indexOf(from)))
  expect(LEVELS.filter((level) => at(text, level) === NEVER)).toEqual(LEVELS.slice(0, LEVELS.indexOf(from)))
})

test('uncertain text is asked for from where the text can be read that it belongs to', () => {
  const term = (level: Level) => asReadAt(parseQuery('has:uncertain', 0), level)
  expect(LEVELS.map((level) => term(level))).toEqual([
    ...LEVELS.slice(0, LEVELS.indexOf('BODY')).map(() => ({ kind: 'none' })),
    { kind: 'uncertain', where: 'body' },
    { kind: 'uncertain', where: 'any' },
  ])
})

test('words anywhere are words wherever they can be read', () => {
  expect(at('a', 'METADATA')).toBe(NEVER)
  expect(at('a', 'ENVELOPE')).toBe('from:a OR to:a OR cc:a OR bcc:a OR subject:a')
  expect(at('a', 'HEADERS')).toBe(at('a', 'ENVELOPE'))
  expect(at('"a b*"', 'BODY')).toBe(
    'from:"a b*" OR to:"a b*" OR cc:"a b*" OR bcc:"a b*" OR subject:"a b*" OR body:"a b*"',
  )
  expect(at('a', 'FULL')).toBe('a')
})

test('neither a term about what cannot be read nor its negation holds', () => {
  const holds = (text: string, level: Level): boolean => {
    const { kind } = simplify(asReadAt(parseQuery(text, 0), level))
    expect(['all', 'none']).toContain(kind)
    return kind === 'all'
  }
  expect(holds('body:a', 'ENVELOPE')).toBe(false)
  expect(holds('-body:a', 'ENVELOPE')).toBe(false)
  expect(holds('-(-body:a)', 'ENVELOPE')).toBe(false)
  expect(holds('body:a OR -body:a', 'ENVELOPE')).toBe(false)
  expect(holds('-(subject:a OR body:b)', 'METADATA')).toBe(false)
  expect(holds('-a', 'METADATA')).toBe(false)
  expect(holds('-(from:a -from:a)', 'METADATA')).toBe(false)
})

test('what can be read still decides beside what cannot', () => {
  const meaning = (text: string, level: Level): string => printQuery(simplify(asReadAt(parseQuery(text, 0), level)))
  expect(meaning('-(from:a body:b)', 'ENVELOPE')).toBe('-from:a')
  expect(meaning('from:a OR -body:b', 'ENVELOPE')).toBe('from:a')
  expect(meaning('-a', 'ENVELOPE')).toBe('-(from:a OR to:a OR cc:a OR bcc:a OR subject:a)')
})
