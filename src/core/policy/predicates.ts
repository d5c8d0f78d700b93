/**
 * The closed set of things that a rule or a search can ask of a message.
 *
 * INVARIANT: a predicate throws where a fact it needs is absent or no such fact; whoever runs it takes that for a denial.
 * Values are in their normal form already. To add a predicate, add a row: the configuration, the tools and the digest
 * follow.
 */
import type { FactSource, Facts } from './facts.ts'
import { higher, type Level } from './level.ts'
import { foldText } from './normal-form.ts'

/** What each kind of value is after reading. */
export interface Values {
  address: string
  domain: string
  text: string
  flag: boolean
  /** Seconds. */
  age: number
  bytes: number
  yes: true
}

export type ValueKind = keyof Values

/** Over several senders or subjects: a grant needs all of them, a cap or a search any one. */
export type Quantifier = 'all' | 'any'

interface Predicate<K extends ValueKind> {
  readonly value: K
  /** The level from which a caller can read what this looks at. */
  readonly readableFrom: Level
  readonly needs?: FactSource
  test(value: Values[K], quantifier: Quantifier): Test
}

export type Test = (facts: Facts, nowSeconds: number) => boolean

function predicate<K extends ValueKind>(definition: Predicate<K>): Predicate<K> {
  return definition
}

export const PREDICATES = {
  from: predicate({
    value: 'address',
    readableFrom: 'ENVELOPE',
    needs: 'senders',
    test: (address, over) => (facts) => holds(over, texts(facts.from), (from) => from === address),
  }),
  from_domain: predicate({
    value: 'domain',
    readableFrom: 'ENVELOPE',
    needs: 'senders',
    test: (domain, over) => {
      // A domain holds no `@`, so this is what stands behind the last one.
      const ending = `@${domain}`
      return (facts) => holds(over, texts(facts.from), (from) => from.endsWith(ending))
    },
  }),
  to: predicate({
    value: 'address',
    readableFrom: 'ENVELOPE',
    needs: 'recipients',
    test: (address) => (facts) => texts(facts.to).includes(address),
  }),
  to_contains: predicate({
    value: 'text',
    readableFrom: 'ENVELOPE',
    needs: 'recipients',
    test: (text) => (facts) => texts(facts.to).some((to) => foldText(to).includes(text)),
  }),
  subject_contains: predicate({
    value: 'text',
    readableFrom: 'ENVELOPE',
    needs: 'subject',
    test: (text, over) => (facts) => holds(over, texts(facts.subjects), (subject) => subject.includes(text)),
  }),
  has_attachment: predicate({
    value: 'flag',
    readableFrom: 'FULL',
    needs: 'structure',
    test: (wanted) => (facts) => truth(facts.hasAttachment) === wanted,
  }),
  newer_than: predicate({
    value: 'age',
    readableFrom: 'ENVELOPE',
    test: (age) => (facts, now) => amount(now) - amount(facts.received) < age,
  }),
  older_than: predicate({
    value: 'age',
    readableFrom: 'ENVELOPE',
    test: (age) => (facts, now) => amount(now) - amount(facts.received) > age,
  }),
  size_gt: predicate({
    value: 'bytes',
    readableFrom: 'METADATA',
    test: (bytes) => (facts) => amount(facts.size) > bytes,
  }),
  size_lt: predicate({
    value: 'bytes',
    readableFrom: 'METADATA',
    test: (bytes) => (facts) => amount(facts.size) < bytes,
  }),
  flagged: predicate({
    value: 'flag',
    readableFrom: 'METADATA',
    test: (wanted) => (facts) => truth(facts.flagged) === wanted,
  }),
  authenticated: predicate({
    value: 'yes',
    readableFrom: 'HEADERS',
    needs: 'authentication',
    test: () => (facts) => truth(facts.authenticated),
  }),
} as const

export type PredicateName = keyof typeof PREDICATES

export const PREDICATE_NAMES = Object.keys(PREDICATES) as PredicateName[]

/** All predicates given must hold; an empty match holds for every message. */
export type Match = { readonly [K in PredicateName]?: Values[(typeof PREDICATES)[K]['value']] }

/** In one shape whatever the predicate, for code that treats them alike. */
export type AnyPredicate = Predicate<ValueKind>

export function predicateNamed(name: PredicateName): AnyPredicate {
  return PREDICATES[name] as unknown as AnyPredicate
}

export function namesIn(match: Match): PredicateName[] {
  return PREDICATE_NAMES.filter((name) => match[name] !== undefined)
}

/** The level from which a caller can read all that a search for this looks at. Below it, a message does not match. */
export function matchReadableFrom(match: Match): Level {
  return namesIn(match)
    .map((name) => predicateNamed(name).readableFrom)
    .reduce(higher, 'NONE')
}

/** Whether the answer can change while the message does not: with time, or with its flags. */
export function isFickle(match: Match): boolean {
  return match.newer_than !== undefined || match.older_than !== undefined || match.flagged !== undefined
}

/** Whether it asks only what can be asked, with values of the right kind. One that does not must never match. */
export function isMatch(value: unknown): value is Match {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(([name, wanted]) => {
    const known = PREDICATE_NAMES.find((predicate) => predicate === name)
    return known !== undefined && IS_VALUE[predicateNamed(known).value](wanted)
  })
}

/** Every predicate is asked, also after one that does not hold: a fact that is missing must not go unnoticed. */
export function compileMatch(match: Match, quantifier: Quantifier): Test {
  const tests = namesIn(match).map((name) => predicateNamed(name).test(match[name] as never, quantifier))
  return (facts, now) => {
    let all = true
    for (const test of tests) if (!test(facts, now)) all = false
    return all
  }
}

export function needsOf(matches: readonly Match[]): ReadonlySet<FactSource> {
  return new Set(matches.flatMap(namesIn).flatMap((name) => predicateNamed(name).needs ?? []))
}

function holds<T>(quantifier: Quantifier, values: readonly T[], test: (value: T) => boolean): boolean {
  return quantifier === 'any' ? values.some(test) : values.length > 0 && values.every(test)
}

function texts(fact: unknown): readonly string[] {
  return Array.isArray(fact) && fact.every(isText) ? fact : unknownFact()
}

function amount(fact: unknown): number {
  return isAmount(fact) ? fact : unknownFact()
}

function truth(fact: unknown): boolean {
  return isTruth(fact) ? fact : unknownFact()
}

function unknownFact(): never {
  throw new Error('a rule looks at a fact that was not fetched')
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isTruth(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

const IS_VALUE: { readonly [K in ValueKind]: (value: unknown) => boolean } = {
  address: isText,
  domain: isText,
  text: isText,
  flag: isTruth,
  age: isAmount,
  bytes: isAmount,
  yes: (value) => value === true,
}
