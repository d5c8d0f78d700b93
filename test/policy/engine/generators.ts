/**
 * Policies and messages that have much to do with each other: few names, in many spellings, so that rules match often,
 * and whatever else may stand in a header.
 */
import fc from 'fast-check'
import type { Part } from '../../../src/core/mime/part.ts'
import { type Evidence, type FactSource, type Facts, factsOf } from '../../../src/core/policy/facts.ts'
import type { FolderDefinition } from '../../../src/core/policy/folder.ts'
import { LEVELS, type Level } from '../../../src/core/policy/level.ts'
import { type Match, type PredicateName, predicateNamed } from '../../../src/core/policy/predicates.ts'
import { readValue } from '../../../src/core/policy/values.ts'
import type { PlainFolder, PlainMessage, PlainPolicy, PlainRule } from './naive.ts'

export const NOW = 2_000_000_000
export const OWN_SERVER = 'mx.own.example'
export const ALL_SOURCES: ReadonlySet<FactSource> = new Set([
  'senders',
  'recipients',
  'subject',
  'authentication',
  'structure',
])

export const level = fc.constantFrom(...LEVELS)
export const someLevel = fc.constantFrom(...LEVELS.slice(1))

const DOMAINS = [
  'a.example',
  'A.Example',
  'a.example.',
  'bücher.example',
  'BÜCHER.example',
  'xn--bcher-kva.example',
  'b.example',
]
const ODD_DOMAINS = [
  'sub.a.example',
  'a.example.evil.example',
  'bu\u0308cher.example',
  'a\u3002example..',
  'а.example',
  '',
]
const LOCALS = ['ann', 'Ann', 'bob', '"ann"']
const domain = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...DOMAINS) }, fc.constantFrom(...ODD_DOMAINS))
const address = fc.tuple(fc.constantFrom(...LOCALS), domain).map(([local, host]) => `${local}@${host}`)
const junk = fc.string({ unit: fc.constantFrom(...'ab@.,;:<>"\\()[]=? \tü\u0000'), maxLength: 12 })

/** One value of From, To or Cc. */
const people = fc.oneof(
  { weight: 5, arbitrary: address },
  { weight: 4, arbitrary: address.map((one) => `Ann Bee <${one}>`) },
  { weight: 2, arbitrary: fc.tuple(address, address).map((two) => two.join(', ')) },
  fc.tuple(address, address).map(([one, other]) => `"${one.replaceAll('"', '')}" <${other}>`),
  fc.tuple(address, address).map(([one, other]) => `${one} (${other})`),
  fc.tuple(address, address).map((two) => `Group: ${two.join(', ')};`),
  fc.tuple(address, address).map(([one, other]) => `=?utf-8?q?${one.replace('@', '=40')}?= <${other}>`),
  fc.constantFrom('undisclosed:;', 'Ann Bee', '<>', '', 'ann', '=?utf-8?b?YW5uQGEuZXhhbXBsZQ==?=', 'ann@=?utf-8?q?a?='),
  fc.tuple(address, junk).map(([one, other]) => `${one}${other}`),
  junk,
)

const subject = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('Rechnung 7', 'Ihre RECHNUNG', 'Straße', 'STRASSE', 'lunch?', 're: u\u0308ber'),
  },
  fc.constantFrom(
    '=?utf-8?q?Rechnung?=',
    '=?utf-8?b?w7xiZXI=?= =?utf-8?q?all?=',
    '=?x?q?=52echnung?=',
    '',
    'Rech nung',
  ),
  junk,
)

const report = fc
  .tuple(
    fc.constantFrom(
      'mx.own.example',
      'MX.OWN.example.',
      'mx.own.example',
      'mx.evil.example',
      '(x) mx.own.example 1',
      '',
    ),
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: domain.map((host) => `dmarc=pass header.from=${host}`) },
        { weight: 2, arbitrary: fc.constant('dmarc=pass') },
        fc.constantFrom(
          'dmarc = fail',
          'DMARC=PASS (p=none)',
          'spf=fail (dmarc=pass)',
          'spf=fail (; dmarc=pass ;)',
          'dmarc/1=pass',
        ),
        fc.constantFrom(
          'spf=x reason="; dmarc=pass"',
          'dmarc=passed',
          'x dmarc=pass',
          'dmarc=pass (',
          'dkim=pass',
          'none',
        ),
        junk,
      ),
      { maxLength: 2 },
    ),
  )
  .map(([server, results]) => [server, ...results].join('; '))
const received = fc.constantFrom(
  'from x by mx.own.example; Mon',
  'from x (by mx.evil.example) by mx.own.example with ESMTP; Mon',
  'from x by mx.evil.example by mx.own.example; Mon',
  'from x by mx.evil.example; Mon',
  '(unfinished by mx.own.example',
)

/** Mostly one of a field, as in real mail. */
const mostlyOne = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 6, arbitrary: value.map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(value, { maxLength: 2 }) },
  )

export interface Field {
  readonly name: string
  readonly value: string
}

/** What a sender can write anything into. */
export const FIELD_VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  from: people,
  to: people,
  cc: people,
  subject,
  received,
  'authentication-results': report,
  'reply-to': people,
  sender: people,
  'x-anything': junk,
  date: junk,
}

const spelled = (name: string, upper: boolean): string => (upper ? name.toUpperCase() : name)
const fields = (name: string, values: fc.Arbitrary<string[]>): fc.Arbitrary<Field[]> =>
  fc.tuple(values, fc.boolean()).map(([list, upper]) => list.map((value) => ({ name: spelled(name, upper), value })))

/** The smallest structure there is: one plain text. */
export const leaf: Part = {
  id: '1',
  type: 'text/plain',
  parameters: {},
  disposition: undefined,
  filename: undefined,
  contentId: undefined,
  encoding: '7bit',
  size: 1,
  children: [],
}
const pdf: Part = { ...leaf, id: '2', type: 'application/pdf', disposition: 'attachment', filename: 'a.pdf' }
const html: Part = { ...leaf, id: '2', type: 'text/html' }
const holding = (type: string, ...children: Part[]): Part => ({ ...leaf, id: '', type, children })
const STRUCTURES: readonly (readonly [Part, boolean])[] = [
  [leaf, false],
  [pdf, true],
  [holding('multipart/mixed', leaf, pdf), true],
  [holding('multipart/alternative', leaf, html), false],
]

export interface Sample {
  readonly evidence: Evidence
  readonly plain: PlainMessage
}

export const message: fc.Arbitrary<Sample> = fc
  .record({
    header: fc
      .tuple(
        fields('received', mostlyOne(received)),
        fields('authentication-results', fc.array(report, { maxLength: 2 })),
        fields('from', mostlyOne(people)),
        fields('to', mostlyOne(people)),
        fields('cc', fc.array(people, { maxLength: 1 })),
        fields('subject', mostlyOne(subject)),
        fields('x-anything', fc.array(junk, { maxLength: 1 })),
      )
      .map((all): readonly Field[] => all.flat()),
    flags: fc.constantFrom<readonly string[]>(
      [],
      ['\\Seen'],
      ['\\Flagged'],
      ['\\seen', '\\FLAGGED'],
      ['Flagged', '$x'],
    ),
    size: fc.constantFrom(0, 9, 10, 11, 100_000),
    age: fc.constantFrom(-5, 0, 59, 60, 61, 3600, 86_399, 86_400, 86_401, 604_801, 31_536_001),
    structure: fc.constantFrom(...STRUCTURES),
  })
  .map(({ header, flags, size, age, structure: [structure, attached] }) =>
    sampleOf(header, { flags, size, age, structure, attached }),
  )

interface Rest {
  readonly flags: readonly string[]
  readonly size: number
  readonly age: number
  readonly structure: Part | undefined
  readonly attached: boolean | undefined
}

function sampleOf(header: readonly Field[], { flags, size, age, structure, attached }: Rest): Sample {
  const date = NOW - age
  return {
    evidence: { size, received: date, flags, header, structure },
    plain: { fields: header, flags, size, date, attached },
  }
}

const bare = new WeakMap<Sample, Sample>()

/** The same message as a server tells it that does not know structures. */
export function withoutStructure(sample: Sample): Sample {
  const { evidence, plain } = sample
  const without = bare.get(sample) ?? {
    evidence: { ...evidence, structure: undefined },
    plain: { ...plain, attached: undefined },
  }
  bare.set(sample, without)
  return without
}

export function withHeader({ evidence, plain }: Sample, header: readonly Field[]): Sample {
  return { evidence: { ...evidence, header }, plain: { ...plain, fields: header } }
}

const known = new WeakMap<Evidence, Map<string | undefined, Facts>>()

/** Everything that can be known of a message; found out once, since many policies are asked about it. */
export function factsBy(authserv: string | undefined, { evidence }: Sample): Facts {
  const all = known.get(evidence) ?? new Map<string | undefined, Facts>()
  known.set(evidence, all)
  const facts = all.get(authserv) ?? factsOf(evidence, ALL_SOURCES, authserv)
  all.set(authserv, facts)
  return facts
}

export function factsIn(sample: Sample): Facts {
  return factsBy(OWN_SERVER, sample)
}

const ages = fc.constantFrom('60s', '1m', '1h', '1d', '24h', '1w', '1y', '0d')
const asked = fc.tuple(fc.constantFrom('ann', 'ANN', 'bob'), fc.constantFrom(...DOMAINS)).map((two) => two.join('@'))

const PREDICATE_VALUES: { readonly [K in PredicateName]: fc.Arbitrary<unknown> } = {
  from: asked,
  from_domain: fc.constantFrom(...DOMAINS),
  to: asked,
  to_contains: fc.constantFrom('ann', 'A.EXAMPLE', 'bob@', 'xn--', 'zzz'),
  subject_contains: fc.constantFrom('rechnung', 'STRASSE', 'straße', 'ÜBER', 'u\u0308ber', 'e'),
  has_attachment: fc.boolean(),
  newer_than: ages,
  older_than: ages,
  size_gt: fc.constantFrom(0, 9, 10, 50_000),
  size_lt: fc.constantFrom(0, 10, 11, 50_000),
  flagged: fc.boolean(),
  authenticated: fc.constant(true),
}

const entry = fc.oneof(
  ...Object.entries(PREDICATE_VALUES).map(([name, values]) => values.map((value) => [name, value] as const)),
)

/** Mostly one or two predicates: more rarely hold together. */
const match = fc.oneof(
  { weight: 5, arbitrary: entry.map((one) => [one]) },
  { weight: 3, arbitrary: fc.tuple(entry, entry) },
  { weight: 1, arbitrary: fc.array(entry, { maxLength: 4 }) },
)

export const plainRule: fc.Arbitrary<PlainRule> = fc
  .tuple(match, level)
  .map(([entries, its]) => ({ match: Object.fromEntries(entries), level: its }))

const grantRule = fc.tuple(plainRule, someLevel).map(([rule, its]): PlainRule => ({ ...rule, level: its }))

/** In this mode, at this path. */
function folderAt(path: string): fc.Arbitrary<PlainFolder> {
  return fc.oneof(
    fc
      .array(grantRule, { maxLength: 4 })
      .map((rules): PlainFolder => ({ path, mode: 'whitelist', default: 'NONE', rules })),
    fc
      .tuple(fc.array(plainRule, { maxLength: 4 }), someLevel)
      .map(([rules, base]): PlainFolder => ({ path, mode: 'blacklist', default: base, rules })),
  )
}

export const plainFolder: fc.Arbitrary<PlainFolder> = folderAt('INBOX')

const PATHS = ['Inbox', 'inbox/*', 'A', 'A/B', 'A/*', 'A/**', 'A/B/**', '*', '**']
export const asksFor = fc.constantFrom(
  'INBOX',
  'iNBOX',
  'INBOX/x',
  'inbox/x',
  'A',
  'a',
  'A/',
  'A/B',
  'A/C',
  'A/B/C',
  'A/B/C/D',
  'Z',
  '',
)

/** Paths differ, as a tree that loads has them. */
export const plainPolicy: fc.Arbitrary<PlainPolicy> = fc
  .subarray(PATHS, { minLength: 1, maxLength: 4 })
  .chain((paths) => fc.tuple(...paths.map(folderAt)))
  .map((work) => ({ work }))

/** What loading a tree makes of a folder. */
export function definitionOf({ path, mode, default: base, rules }: PlainFolder): FolderDefinition {
  return { path, mode, default: base, rules: rules.map(ruleOf), capabilities: [] }
}

export function ruleOf({ match: written, level: its }: PlainRule): { match: Match; level: Level } {
  const read = Object.entries(written).map(([name, raw]) => {
    const reading = readValue(predicateNamed(name as PredicateName).value, raw)
    if (!reading.ok) throw new Error(`the generator wrote a wrong value for ${name}`)
    return [name, reading.value]
  })
  return { match: Object.fromEntries(read) as Match, level: its }
}
