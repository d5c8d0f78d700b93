/** What always holds of the policy engine, each over a hundred thousand cases at least. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countLevels } from '../../../src/core/decision/counts.ts'
import {
  compileFolder,
  type FolderDefinition,
  type FolderPolicy,
  quantifierOf,
  type Rule,
  type Verdict,
} from '../../../src/core/policy/folder.ts'
import { atLeast, higher, isLevel, LEVELS, type Level, lower } from '../../../src/core/policy/level.ts'
import { type Policy, policyFrom } from '../../../src/core/policy/policy.ts'
import { compileMatch, namesIn, PREDICATE_NAMES, type PredicateName } from '../../../src/core/policy/predicates.ts'
import {
  asksFor,
  definitionOf,
  FIELD_VALUES,
  factsBy,
  factsIn,
  level,
  message,
  NOW,
  OWN_SERVER,
  plainFolder,
  plainPolicy,
  plainRule,
  ruleOf,
  type Sample,
  withHeader,
  withoutStructure,
} from './generators.ts'
import { naiveVerdict, type PlainPolicy } from './naive.ts'

const CASES = 100_000
const POLICIES = 8
const MESSAGES = 20
const TIMEOUT = 120_000

/** Runs a property over every pair of some policies and some messages, until enough pairs went through it. */
function overPairs<T>(arbitrary: fc.Arbitrary<T>, check: (input: T, sample: Sample) => void): void {
  const inputs = fc.array(arbitrary, { minLength: POLICIES, maxLength: POLICIES, size: 'max' })
  const samples = fc.array(message, { minLength: MESSAGES, maxLength: MESSAGES, size: 'max' })
  let pairs = 0
  fc.assert(
    fc.property(inputs, samples, (some, others) => {
      for (const input of some) {
        for (const sample of others) {
          check(input, sample)
          pairs += 1
        }
      }
    }),
    { numRuns: CASES / (POLICIES * MESSAGES), endOnFailure: true },
  )
  expect(pairs).toBeGreaterThanOrEqual(CASES)
}

/** Far cheaper than an assertion library, and called very often. */
function holds(condition: boolean, ...about: unknown[]): asserts condition {
  if (!condition) throw new Error(`does not hold for ${about.map((one) => JSON.stringify(one)).join(' and ')}`)
}

function same(
  one: { level: string; reason: string } | undefined,
  other: { level: string; reason: string } | undefined,
): boolean {
  return one?.level === other?.level && one?.reason === other?.reason
}

function compiled(plain: PlainPolicy): Policy {
  const accounts = new Map(Object.entries(plain).map(([id, folders]) => [id, folders.map(definitionOf)]))
  return policyFrom({ name: 'test', concealHidden: false, accounts })
}

function showsNothing(folder: FolderPolicy, sample: Sample): boolean {
  const { level: its } = folder.verdict(factsIn(sample), NOW)
  return its === 'NONE' && folder.ceiling === 'NONE' && folder.capabilities.size === 0
}

function verdictOf(definition: FolderDefinition, sample: Sample): Verdict {
  return compileFolder(definition).verdict(factsIn(sample), NOW)
}

/** Undefined where the folder is not named. */
function asked(policy: Policy, path: string, sample: Sample, authserv: string | undefined): Verdict | undefined {
  const folder = policy.folder('work', path)
  return folder.named ? folder.verdict(factsBy(authserv, sample), NOW) : undefined
}

const HIDDEN_FOLDER = { level: 'NONE', reason: 'folder_hidden' }

const folders = plainFolder.map((plain) => ({ plain, definition: definitionOf(plain) }))

test('the engine and the naive evaluator agree on level and reason', { timeout: TIMEOUT }, () => {
  const situation = fc.record({
    plain: plainPolicy,
    path: asksFor,
    authserv: fc.constantFrom(undefined, OWN_SERVER),
    whole: fc.boolean(),
  })
  const seen = { named: 0, hidden: 0 }
  const policies = new WeakMap<PlainPolicy, Policy>()
  overPairs(situation, ({ plain, path, authserv, whole }, made) => {
    const sample = whole ? made : withoutStructure(made)
    const policy = policies.get(plain) ?? compiled(plain)
    policies.set(plain, policy)
    const ours = asked(policy, path, sample, authserv) ?? HIDDEN_FOLDER
    const theirs = naiveVerdict(plain, 'work', path, sample.plain, { now: NOW, authserv })
    holds(same(ours, theirs), ours, theirs, plain, path, authserv, sample.plain)
    seen[ours.reason === 'folder_hidden' ? 'hidden' : 'named'] += 1
  })
  expect(seen.named).toBeGreaterThan(CASES / 5)
  expect(seen.hidden).toBeGreaterThan(CASES / 20)
})

test('generated rules match often, each predicate among them, also where they decide alone', {
  timeout: TIMEOUT,
}, () => {
  const matched = new Map<PredicateName, number>()
  const reasons = new Map<string, number>()
  const levels = new Map<Level, number>()
  const count = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
  overPairs(folders, ({ definition }, sample) => {
    const facts = factsIn(sample)
    const verdict = verdictOf(definition, sample)
    count(reasons, `${definition.mode} ${verdict.reason}`)
    count(levels, verdict.level)
    for (const rule of definition.rules) {
      const names = namesIn(rule.match)
      const [name] = names
      if (name === undefined || names.length > 1) continue
      if (compileMatch(rule.match, quantifierOf(definition.mode))(facts, NOW)) count(matched, name)
    }
  })
  for (const reason of ['whitelist rule_matched', 'blacklist rule_matched']) {
    expect(reasons.get(reason), reason).toBeGreaterThan(CASES / 8)
  }
  for (const reason of [
    'whitelist sender_not_whitelisted',
    'blacklist sender_blacklisted',
    'blacklist folder_default_applied',
  ]) {
    expect(reasons.get(reason), reason).toBeGreaterThan(CASES / 40)
  }
  for (const name of PREDICATE_NAMES) expect(matched.get(name), name).toBeGreaterThan(CASES / 200)
  for (const one of LEVELS) expect(levels.get(one), one).toBeGreaterThan(CASES / 40)
})

test('what no policy names is hidden, and so is what no rule of a whitelist matches', { timeout: TIMEOUT }, () => {
  const situation = fc.record({
    named: plainPolicy.map((plain) => ({
      policy: compiled(plain),
      definitions: (plain['work'] ?? []).map(definitionOf),
    })),
    path: asksFor,
    stranger: fc.constantFrom('home', 'Work', '', 'toString'),
  })
  let unmatched = 0
  overPairs(situation, ({ named: { policy, definitions }, path, stranger }, sample) => {
    const facts = factsIn(sample)
    holds(!policy.sees(stranger), stranger)
    const elsewhere = policy.folder(stranger, path)
    holds(!elsewhere.named && showsNothing(elsewhere, sample), stranger)
    const folder = policy.folder('work', path)
    if (!folder.named) holds(showsNothing(folder, sample), path)
    const definition = definitions.find((one) => one.path === folder.path)
    if (!folder.named || definition?.mode !== 'whitelist') return
    if (definition.rules.some(({ match }) => compileMatch(match, 'all')(facts, NOW))) return
    unmatched += 1
    holds(same(folder.verdict(facts, NOW), { level: 'NONE', reason: 'sender_not_whitelisted' }), definition, facts)
  })
  expect(unmatched).toBeGreaterThan(CASES / 20)
})

test('no message shows more than the ceiling of its folder, nor less than the floor', { timeout: TIMEOUT }, () => {
  overPairs(folders, ({ definition }, sample) => {
    const folder = compileFolder(definition)
    for (const one of [sample, withoutStructure(sample)]) {
      const { level: its } = folder.verdict(factsIn(one), NOW)
      holds(atLeast(folder.ceiling, its) && atLeast(its, folder.floor), definition, its)
      holds(folder.uniform === undefined || folder.uniform.level === its, definition, its)
    }
  })
})

const REASONS = ['rule_matched', 'folder_default_applied', 'sender_not_whitelisted', 'sender_blacklisted']

test('whatever the policy and the facts, there is a verdict', { timeout: TIMEOUT }, () => {
  const anything = fc.oneof(
    fc.constantFrom<unknown>(
      undefined,
      null,
      0,
      -1,
      Number.NaN,
      '',
      'x',
      true,
      [],
      [null],
      {},
      'FULL',
      'whitelist',
      'blacklist',
      10n,
      Symbol('x'),
    ),
    fc.anything({ maxDepth: 1, maxKeys: 2 }),
  )
  const someMatch = fc.dictionary(fc.constantFrom(...PREDICATE_NAMES, 'x', '__proto__'), anything, { maxKeys: 2 })
  const rule = fc.record(
    { match: fc.oneof(someMatch, anything), level: fc.oneof(level, anything) },
    { requiredKeys: [] },
  )
  const definition = fc.record({
    path: fc.string({ maxLength: 5 }),
    mode: fc.oneof(fc.constantFrom('whitelist', 'blacklist'), anything),
    default: fc.oneof(level, anything),
    rules: fc.oneof(fc.array(fc.oneof(rule, anything), { maxLength: 2 }), anything),
    capabilities: anything,
    mayRaise: anything,
  })
  const facts = fc.oneof(
    fc.record(
      {
        from: anything,
        to: anything,
        subjects: anything,
        authenticated: anything,
        hasAttachment: anything,
        flagged: anything,
        size: anything,
        received: anything,
      },
      { requiredKeys: [] },
    ),
    anything,
  )
  let cases = 0
  fc.assert(
    fc.property(definition, facts, anything, (junk, about, now) => {
      const folder = compileFolder(junk as unknown as FolderDefinition)
      const verdict = folder.verdict(about as never, now as number)
      holds(isLevel(verdict.level) && REASONS.includes(verdict.reason))
      holds(atLeast(folder.ceiling, verdict.level))
      cases += 1
    }),
    { numRuns: CASES },
  )
  expect(cases).toBeGreaterThanOrEqual(CASES)
})

test('a rule more, or a higher level, never lowers in a whitelist and never raises in a blacklist otherwise', {
  timeout: TIMEOUT,
}, () => {
  const situation = fc.record({ folder: folders, extra: plainRule.map(ruleOf), raised: fc.nat(3), to: level })
  let differences = 0
  overPairs(situation, ({ folder: { definition }, extra, raised, to }, sample) => {
    const { level: before } = verdictOf(definition, sample)
    const rules = definition.rules
    const more = verdictOf({ ...definition, rules: [...rules, extra] }, sample).level
    const turn = definition.mode === 'whitelist' ? higher : lower
    const changed = rules.map((rule, at) => (at === raised ? { ...rule, level: turn(rule.level, to) } : rule))
    const stronger = verdictOf({ ...definition, rules: changed }, sample).level
    for (const after of [more, stronger]) {
      holds(
        definition.mode === 'whitelist' ? atLeast(after, before) : atLeast(before, after),
        definition,
        extra,
        changed,
      )
      if (after !== before) differences += 1
    }
  })
  expect(differences).toBeGreaterThan(CASES / 20)
})

test('the order of rules and of folders never matters', { timeout: TIMEOUT }, () => {
  const shuffled = plainPolicy.chain((plain) => {
    const work = plain['work'] ?? []
    const turned = work.map((folder) => ({ ...folder, rules: folder.rules.toReversed() }))
    return fc
      .shuffledSubarray(turned, { minLength: turned.length })
      .map((other) => ({ one: compiled(plain), other: compiled({ work: other }) }))
  })
  const situation = fc.record({ both: shuffled, path: asksFor })
  overPairs(situation, ({ both: { one, other }, path }, sample) => {
    holds(same(asked(one, path, sample, undefined), asked(other, path, sample, undefined)), path, sample.plain)
    holds(one.folder('work', path).path === other.folder('work', path).path, path)
  })
})

test('counts add up', { timeout: TIMEOUT }, () => {
  const levels = fc.array(level, { maxLength: 20 })
  let cases = 0
  fc.assert(
    fc.property(levels, level, (some, from) => {
      const { total, visible, hidden, byLevel } = countLevels(some, from)
      const sum = Object.values(byLevel).reduce((all, count) => all + count, 0)
      holds(sum === some.length && total === some.length && visible + hidden === total, some, from)
      holds(visible === some.filter((its) => atLeast(its, from)).length, some, from)
      for (const its of LEVELS) holds((byLevel[its] ?? 0) === some.filter((one) => one === its).length, some, its)
      cases += 1
    }),
    { numRuns: CASES },
  )
  expect(cases).toBeGreaterThanOrEqual(CASES)
})

const UNTYPABLE: readonly unknown[] = [
  { match: { from_domain: 5 }, level: 'FULL' },
  { match: { from: ['a@b'] }, level: 'FULL' },
  { match: { newer_than: '30d' }, level: 'FULL' },
  { match: { size_gt: null }, level: 'COUNT' },
  { match: { flagged: 'true' }, level: 'FULL' },
  { match: { authenticated: false }, level: 'FULL' },
  { match: { subject: 'x' }, level: 'FULL' },
  { match: { from: undefined }, level: 'FULL' },
  { match: {}, level: 'ALL' },
  {},
]

test('a rule that throws, makes no sense or misses a fact denies, whatever the others say', {
  timeout: TIMEOUT,
}, () => {
  const missing = fc.constantFrom(
    'from',
    'to',
    'subjects',
    'authenticated',
    'hasAttachment',
    'flagged',
    'size',
    'received',
  )
  const situation = fc.record({
    folder: folders,
    at: fc.nat(4),
    odd: fc.constantFrom(...UNTYPABLE),
    fact: missing,
    throws: fc.boolean(),
  })
  let looked = 0
  overPairs(situation, ({ folder: { definition }, at, odd, fact, throws }, sample) => {
    const rules = definition.rules.toSpliced(at, 0, odd as Rule)
    holds(verdictOf({ ...definition, rules }, sample).level === 'NONE', rules)
    const facts = Object.defineProperty({ ...factsIn(sample) }, fact, {
      get: () => {
        if (throws) throw new Error('boom')
        return undefined
      },
    })
    if (!definition.rules.some(({ match }) => namesIn(match).some((name) => FACTS_OF[name] === fact))) return
    looked += 1
    holds(compileFolder(definition).verdict(facts, NOW).level === 'NONE', definition, fact)
  })
  expect(looked).toBeGreaterThan(CASES / 10)
})

const FACTS_OF: Readonly<Record<PredicateName, string>> = {
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

/** The header fields that each predicate may look at, by the policy's description. */
const LOOKS_AT: Readonly<Record<PredicateName, readonly string[]>> = {
  from: ['from'],
  from_domain: ['from'],
  to: ['to', 'cc'],
  to_contains: ['to', 'cc'],
  subject_contains: ['subject'],
  has_attachment: [],
  newer_than: [],
  older_than: [],
  size_gt: [],
  size_lt: [],
  flagged: [],
  authenticated: ['from', 'received', 'authentication-results'],
}

const OFTEN_NAMED = ['from', 'to', 'subject', 'authentication-results']

const looksAt = ({ match }: Rule, name: string): boolean => namesIn(match).some((one) => LOOKS_AT[one].includes(name))

test('a header field raises a level only through a rule that names it', { timeout: TIMEOUT }, () => {
  const forged = fc
    .constantFrom(...Object.keys(FIELD_VALUES), ...OFTEN_NAMED, ...OFTEN_NAMED)
    .chain((name) =>
      fc.tuple(fc.constant(name), fc.array(FIELD_VALUES[name] as fc.Arbitrary<string>, { maxLength: 2 }), fc.boolean()),
    )
  const situation = fc.record({ folder: folders, forgery: forged, authserv: fc.constantFrom(undefined, OWN_SERVER) })
  const seen = { unnamed: 0, raised: 0 }
  overPairs(situation, ({ folder: { plain, definition }, forgery: [name, values, replaces], authserv }, sample) => {
    const kept = sample.plain.fields.filter((field) => !replaces || field.name.toLowerCase() !== name)
    const changed = withHeader(sample, [...values.map((value) => ({ name, value })), ...kept])
    const folder = compileFolder(definition)
    const before = folder.verdict(factsBy(authserv, sample), NOW)
    const after = folder.verdict(factsBy(authserv, changed), NOW)
    const naming = definition.rules.filter((rule) => looksAt(rule, name))
    if (naming.length === 0) {
      seen.unnamed += 1
      holds(same(after, before), plain, name, values)
      return
    }
    if (atLeast(before.level, after.level)) return
    seen.raised += 1
    const others = definition.rules.filter((rule) => !looksAt(rule, name))
    const without = compileFolder({ ...definition, rules: others }).verdict(factsBy(authserv, sample), NOW).level
    const reachable = [without, ...naming.map(({ level: its }) => its)]
    const isBlacklist = definition.mode === 'blacklist'
    holds(isBlacklist ? atLeast(without, after.level) : reachable.includes(after.level), plain, name, values)
  })
  expect(seen.unnamed).toBeGreaterThan(CASES / 5)
  expect(seen.raised).toBeGreaterThan(CASES / 500)
})
