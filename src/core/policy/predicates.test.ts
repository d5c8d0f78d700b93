import { expect, test } from 'vitest'
import type { Facts } from './facts.ts'
import { compileMatch, isMatch, type Match, namesIn, needsOf, PREDICATE_NAMES, type Quantifier } from './predicates.ts'

const NOW = 1_000_000
const facts: Facts = {
  from: ['ann@a.example', 'bob@b.example'],
  to: ['team-x@c.example', 'größe@d.example'],
  subjects: ['RECHNUNG FÜR SIE', 'ZWEI'],
  authenticated: true,
  hasAttachment: true,
  flagged: false,
  size: 100,
  received: NOW - 60,
}
const one: Facts = { ...facts, from: ['ann@a.example'], subjects: ['ZWEI'] }

function holds(match: Match, quantifier: Quantifier, about: Facts = facts): boolean {
  return compileMatch(match, quantifier)(about, NOW)
}

test.each<[Match, boolean, boolean]>([
  [{}, true, true],
  [{ from: 'ann@a.example' }, false, true],
  [{ from: 'a@a.example' }, false, false],
  [{ from_domain: 'a.example' }, false, true],
  [{ from_domain: 'example' }, false, false],
  [{ from_domain: '' }, false, false],
  [{ subject_contains: 'ZWEI' }, false, true],
  [{ subject_contains: 'W' }, false, true],
  [{ subject_contains: 'E' }, true, true],
  [{ to: 'team-x@c.example' }, true, true],
  [{ to: 'team@c.example' }, false, false],
  [{ to_contains: 'TEAM' }, true, true],
  [{ to_contains: 'GRÖSSE' }, true, true],
  [{ to_contains: 'C.EXAMPLE' }, true, true],
  [{ to_contains: 'ANN' }, false, false],
  [{ has_attachment: true }, true, true],
  [{ has_attachment: false }, false, false],
  [{ newer_than: 61 }, true, true],
  [{ newer_than: 60 }, false, false],
  [{ older_than: 59 }, true, true],
  [{ older_than: 60 }, false, false],
  [{ size_gt: 99 }, true, true],
  [{ size_gt: 100 }, false, false],
  [{ size_lt: 101 }, true, true],
  [{ size_lt: 100 }, false, false],
  [{ flagged: false }, true, true],
  [{ flagged: true }, false, false],
  [{ authenticated: true }, true, true],
  [{ to: 'team-x@c.example', size_gt: 99, flagged: false }, true, true],
  [{ to: 'team-x@c.example', size_gt: 99, flagged: true }, false, false],
])('%j holds for a grant: %s, for a cap or a search: %s', (match, all, any) => {
  expect(holds(match, 'all')).toBe(all)
  expect(holds(match, 'any')).toBe(any)
})

test('one sender and one subject are the same to grants and caps; none match nothing', () => {
  for (const match of [
    { from: 'ann@a.example' },
    { from_domain: 'a.example' },
    { subject_contains: 'ZWEI' },
  ] as Match[]) {
    expect([holds(match, 'all', one), holds(match, 'any', one)]).toEqual([true, true])
    const none = { ...facts, from: [], subjects: [] }
    expect([holds(match, 'all', none), holds(match, 'any', none)]).toEqual([false, false])
  }
})

test('an address that is none keeps a grant from matching', () => {
  expect(holds({ from_domain: 'a.example' }, 'all', { ...facts, from: ['ann@a.example', ''] })).toBe(false)
})

const SAMPLE: Required<Match> = {
  from: 'ann@a.example',
  from_domain: 'a.example',
  to: 'x@y',
  to_contains: 'X',
  subject_contains: 'X',
  has_attachment: false,
  newer_than: 1,
  older_than: 1,
  size_gt: 1,
  size_lt: 1,
  flagged: true,
  authenticated: true,
}
const FACT_OF: Record<keyof Match, keyof Facts> = {
  from: 'from',
  from_domain: 'from',
  to: 'to',
  to_contains: 'to',
  subject_contains: 'subjects',
  has_attachment: 'hasAttachment',
  newer_than: 'received',
  older_than: 'received',
  size_gt: 'size',
  size_lt: 'size',
  flagged: 'flagged',
  authenticated: 'authenticated',
}

test.each(PREDICATE_NAMES)('%s cannot be evaluated without its fact, nor with one of a wrong kind', (name) => {
  const test = compileMatch({ [name]: SAMPLE[name] }, 'any')
  expect(test(facts, NOW)).toBeTypeOf('boolean')
  for (const wrong of [undefined, null, {}, 'x', Number.NaN, [1], [undefined], () => 1]) {
    expect(() => test({ ...facts, [FACT_OF[name]]: wrong }, NOW), String(wrong)).toThrow()
  }
})

test('a missing fact is noticed also where another predicate does not hold', () => {
  const { hasAttachment, ...incomplete } = facts
  expect(hasAttachment).toBe(true)
  expect(() => holds({ from: 'nobody@x', has_attachment: true }, 'any', incomplete)).toThrow()
  expect(() => compileMatch({ newer_than: 1 }, 'any')(facts, Number.NaN)).toThrow()
})

test.each(PREDICATE_NAMES)('a value of a wrong kind makes %s no match', (name) => {
  expect(isMatch({ [name]: SAMPLE[name] })).toBe(true)
  for (const wrong of [undefined, null, {}, [], Number.NaN, Symbol.iterator])
    expect(isMatch({ [name]: wrong })).toBe(false)
  expect(isMatch({ [name]: typeof SAMPLE[name] === 'string' ? 1 : 'x' })).toBe(false)
})

test.each<unknown>([
  undefined,
  null,
  1,
  'from',
  { sender: 'x' },
  { From: 'x' },
  { toString: 'x' },
  { from: 'a@b', x: 1 },
])('%j is no match', (value) => {
  expect(isMatch(value)).toBe(false)
})

test('what a match names, and what has to be fetched for it', () => {
  expect(namesIn(SAMPLE)).toEqual(PREDICATE_NAMES)
  expect(namesIn({})).toEqual([])
  expect([...needsOf([{ size_gt: 1, flagged: true, older_than: 1 }])]).toEqual([])
  expect([...needsOf([{ from: 'a@b' }, { to: 'a@b', subject_contains: 'X' }])]).toEqual([
    'senders',
    'recipients',
    'subject',
  ])
  expect([...needsOf([SAMPLE])].sort()).toEqual(['authentication', 'recipients', 'senders', 'structure', 'subject'])
})
