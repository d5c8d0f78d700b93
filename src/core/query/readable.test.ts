import { expect, test } from 'vitest'
import { LEVELS, type Level } from '../policy/level.ts'
import { parseQuery } from './parse.ts'
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

test('words anywhere are words wherever they can be read', () => {
  expect(at('a', 'METADATA')).toBe(NEVER)
  expect(at('a', 'ENVELOPE')).toBe('from:a OR to:a OR cc:a OR bcc:a OR subject:a')
  expect(at('a', 'HEADERS')).toBe(at('a', 'ENVELOPE'))
  expect(at('"a b*"', 'BODY')).toBe(
    'from:"a b*" OR to:"a b*" OR cc:"a b*" OR bcc:"a b*" OR subject:"a b*" OR body:"a b*"',
  )
  expect(at('a', 'FULL')).toBe('a')
})

test('the negation of what cannot be read holds', () => {
  expect(at('-body:a', 'ENVELOPE')).toBe('')
  expect(at('-(from:a body:b)', 'ENVELOPE')).toBe('')
  expect(at('-(from:a OR body:b) in:x', 'ENVELOPE')).toBe('-from:a in:x')
})
