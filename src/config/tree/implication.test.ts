import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Facts } from '../../core/policy/facts.ts'
import { foldText } from '../../core/policy/normal-form.ts'
import { compileMatch, type Match } from '../../core/policy/predicates.ts'
import { contradicts, headingOf, headingsImplied, implies } from './implication.ts'

// Small pools, so that matches often meet each other and the messages.
const address = fc.constantFrom('a@x.example', 'b@x.example', 'a@y.example')
const text = fc.constantFrom('A', 'AB', 'X.EXAMPLE', 'B').map(foldText)
const number = fc.integer({ min: 0, max: 5 })

const match: fc.Arbitrary<Match> = fc.record(
  {
    from: address,
    from_domain: fc.constantFrom('x.example', 'y.example'),
    to: address,
    to_contains: text,
    subject_contains: text,
    has_attachment: fc.boolean(),
    newer_than: number,
    older_than: number,
    size_gt: number,
    size_lt: number,
    flagged: fc.boolean(),
    authenticated: fc.constant(true as const),
  },
  { requiredKeys: [] },
)

const facts: fc.Arbitrary<Facts> = fc.record({
  from: fc.array(address, { maxLength: 2 }),
  to: fc.array(address, { maxLength: 2 }),
  subjects: fc.array(fc.constantFrom('A', 'AB', 'BAB'), { maxLength: 2 }),
  authenticated: fc.boolean(),
  hasAttachment: fc.boolean(),
  flagged: fc.boolean(),
  size: number,
  received: number,
})

const quantifier = fc.constantFrom('all', 'any')

/** Chance alone seldom makes two that are related. */
const pair = fc.tuple(match, match, fc.boolean()).map(([a, b, related]) => ({ a: related ? { ...a, ...b } : a, b }))

test('what is implied holds wherever the other does, and is filed where it is looked for', () => {
  let implied = 0
  fc.assert(
    fc.property(pair, fc.array(facts, { minLength: 20 }), quantifier, ({ a, b }, messages, over) => {
      if (!implies(a, b)) return
      implied += 1
      expect(headingsImplied(a)).toContain(headingOf(b))
      const [one, other] = [compileMatch(a, over), compileMatch(b, over)]
      for (const message of messages) if (one(message, 5)) expect(other(message, 5)).toBe(true)
    }),
    { numRuns: 500 },
  )
  expect(implied).toBeGreaterThan(100)
})

test('what contradicts itself never matches', () => {
  fc.assert(
    fc.property(match, facts, fc.constantFrom('whitelist', 'blacklist'), (one, message, mode) => {
      fc.pre(contradicts(one, mode).length > 0)
      expect(compileMatch(one, mode === 'whitelist' ? 'all' : 'any')(message, 5)).toBe(false)
    }),
  )
})

test.each<[Match, Match, boolean]>([
  [{ from: 'a@x.example' }, { from_domain: 'x.example' }, true],
  [{ from_domain: 'x.example' }, { from: 'a@x.example' }, false],
  [{ to: 'team@x.example' }, { to_contains: 'TEAM' }, true],
  [{ subject_contains: 'RECHNUNG' }, { subject_contains: 'RECH' }, true],
  [{ subject_contains: 'RECH' }, { subject_contains: 'RECHNUNG' }, false],
  [{ newer_than: 5 }, { newer_than: 10 }, true],
  [{ older_than: 5 }, { older_than: 10 }, false],
  [{ size_gt: 5, flagged: true }, { size_gt: 4 }, true],
  [{ size_lt: 5 }, { size_lt: 4 }, false],
  [{ flagged: true }, {}, true],
  [{}, { flagged: true }, false],
  [{ flagged: false }, { flagged: true }, false],
])('%j implies %j: %s', (a, b, expected) => {
  expect(implies(a, b)).toBe(expected)
})

test('sizes and ages that leave one value leave something', () => {
  expect(contradicts({ size_gt: 10, size_lt: 12 }, 'whitelist')).toEqual([])
  expect(contradicts({ newer_than: 8, older_than: 7 }, 'whitelist')).toEqual([])
  expect(contradicts({ from: 'a@x.example', from_domain: 'y.example' }, 'blacklist')).toEqual([])
})
