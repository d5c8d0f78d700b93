/**
 * Whatever is asked, the mirror answers what the messages say, and the server's own search the same but for what its
 * coverage states. POSTERN_RUNS makes it longer.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Criteria, newestFirst } from '../../src/core/criteria.ts'
import { parseStructure } from '../../src/core/mime/structure.ts'
import { factsOf } from '../../src/core/policy/facts.ts'
import { compileFolder, type FolderDefinition } from '../../src/core/policy/folder.ts'
import { atLeast, type Level } from '../../src/core/policy/level.ts'
import { compileMatch, type Match } from '../../src/core/policy/predicates.ts'
import { matches, type Searchable } from '../../src/core/query/evaluate.ts'
import { parseQuery } from '../../src/core/query/parse.ts'
import type { Query, WordField } from '../../src/core/query/query.ts'
import { asReadAt } from '../../src/core/query/readable.ts'
import { settleIn } from '../../src/engine/search/asked-query.ts'
import type { FolderAnswer } from '../../src/engine/search/search-folder.ts'
import { never } from '../mail-source/bench.ts'
import { ALL_SOURCES, ruleOf } from '../policy/engine/generators.ts'
import type { PlainRule } from '../policy/engine/naive.ts'
import { ADDRESSES, type Letter, letter, MOMENTS, phrase, WORDS } from './letters.ts'
import { file, message, plain, several } from './mail.ts'
import { queryText, readable } from './queries.ts'
import { startTwoWays, type TwoWays } from './two-ways.ts'

const RUNS = Number(process.env['POSTERN_RUNS'] ?? 25)
const QUERIES = 40
const NOW = Math.max(...MOMENTS) + 7200
const EVERYTHING_OPEN: FolderDefinition = {
  ...{ path: '**', mode: 'blacklist', default: 'FULL', rules: [], capabilities: [] },
}

let ways: TwoWays
const figures = { questions: 0, found: 0, exact: 0, missed: 0, ofAttachments: 0 }

beforeAll(async () => {
  ways = await startTwoWays(NOW)
})

afterAll(async () => {
  process.stderr.write(`same answers: ${JSON.stringify(figures)}\n`)
  await ways.stop()
})

interface Placed extends Letter {
  readonly uid: number
}

const boxful = fc.array(letter, { minLength: 1, maxLength: 14 })
const seedsOf = (letters: readonly Letter[]) =>
  letters.map(({ raw, truth: { flags, received } }) => ({ raw, flags: [...flags], received }))

/** Uids are given from 1 in a folder that nobody else uses. */
async function placed<T>(letters: readonly Letter[], work: (box: readonly Placed[], mailbox: string) => Promise<T>) {
  const mailbox = await ways.fill(seedsOf(letters))
  try {
    return await work(
      letters.map((one, at) => ({ ...one, uid: at + 1 })),
      mailbox,
    )
  } finally {
    await ways.empty(mailbox)
  }
}

interface Asked {
  readonly query: Query
  readonly match: Match
  readonly rules: FolderDefinition
  readonly conceals: boolean
}

function factsIn({ raw, truth: { flags, size, received } }: Letter) {
  const { header, root } = parseStructure(raw)
  return factsOf({ header, structure: root, flags, size, received }, ALL_SOURCES, undefined)
}

function holds(match: Match, message: Letter): boolean {
  try {
    return compileMatch(match, 'any')(factsIn(message), NOW)
  } catch {
    return false
  }
}

/** A criterion about more than a caller may read matches nothing. */
const NEEDED: Readonly<Record<string, Level>> = { size_gt: 'METADATA', flagged: 'METADATA', has_attachment: 'FULL' }

function isAskable({ match }: Asked, level: Level): boolean {
  return Object.keys(match).every((name) => atLeast(level, NEEDED[name] ?? 'ENVELOPE'))
}

interface Judged {
  readonly message: Placed
  readonly level: Level
}

function judged(box: readonly Placed[], asked: Asked): readonly Judged[] {
  const folder = compileFolder(asked.rules)
  return box
    .map((message) => ({ message, level: folder.verdict(factsIn(message), NOW).level }))
    .filter(({ message, level }) => holds(asked.match, message) && isAskable(asked, level))
    .toSorted((a, b) =>
      newestFirst({ ...a.message.truth, uid: a.message.uid }, { ...b.message.truth, uid: b.message.uid }),
    )
}

/** By what somebody who reads every word finds. */
function brute(box: readonly Placed[], asked: Asked) {
  const matched = judged(box, asked).filter(({ message, level }) =>
    matches(asReadAt(asked.query, level), message.truth),
  )
  const rows = matched
    .filter(({ level }) => atLeast(level, 'METADATA'))
    .map(({ message: { uid }, level }) => ({ uid, level }))
  return { matched: matched.length, visible: rows.length, rows }
}

/**
 * What a server's search must find, and what it may: the text of attachments is not looked at, and words that must stand
 * somewhere are missed where the server cannot see them whole.
 */
function bounds({ message }: Judged, query: Query): { readonly must: boolean; readonly may: boolean } {
  const { attachmentTexts: _unread, ...without } = message.truth
  const may = matches(query, without)
  return { may, must: may && isSeen(query, without, message.plainly, true) }
}

function isSeen(query: Query, truth: Searchable, plainly: Letter['plainly'], positive: boolean): boolean {
  switch (query.kind) {
    case 'and':
      return query.of.every((one) => isSeen(one, truth, plainly, positive))
    case 'or':
      return query.of.some((one) => isSeen(one, truth, plainly, positive))
    case 'not':
      return !isSeen(query.of, truth, plainly, !positive)
    case 'words': {
      if (!matches(query, truth)) return false
      const certain = positive ? plainText(query.field, truth, plainly) : undefined
      return certain === undefined || query.pieces.every((one) => certain.includes(one))
    }
    default:
      return matches(query, truth)
  }
}

/** What a server sees of a field; undefined where it is not asked. Characters that nobody sees are there to a server. */
function plainText(field: WordField, truth: Searchable, { body, filenames }: Letter['plainly']): string | undefined {
  if (field === 'filename') return undefined
  const { from, to, cc, bcc, subject } = truth
  const texts = { any: [from, to, cc, bcc, subject, filenames, body].join('\n'), from, to, cc, bcc, subject, body }
  return texts[field].normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/u

/** Whether nothing that nobody sees stands in any header: then a server that says no more finds just what is there. */
function isClear({ truth: { from, to, cc, bcc, subject } }: Letter): boolean {
  return ![from, to, cc, bcc, subject].some((text) => UNSEEN.test(text))
}

function expectLive(answer: FolderAnswer, box: readonly Placed[], asked: Asked, truth: ReturnType<typeof brute>): void {
  if (answer.coverage.notes.length === 0 && box.every(isClear)) {
    expect(answer.rows).toEqual(truth.rows)
    expect(answer.visible).toBe(truth.visible)
    if (!asked.conceals) expect(answer.matched).toBe(truth.matched)
    figures.exact += 1
    return
  }
  const all = judged(box, asked).map((one) => ({ ...one, ...bounds(one, asReadAt(asked.query, one.level)) }))
  const seen = all.filter(({ level }) => atLeast(level, 'METADATA'))
  const uids = new Set(answer.rows.map(({ uid }) => uid))
  const shown = seen.filter(({ message: { uid } }) => uids.has(uid))
  // In the same order, with the same levels.
  expect(answer.rows).toEqual(shown.map(({ message: { uid }, level }) => ({ uid, level })))
  const missed = seen.filter(({ must, message: { uid } }) => must && !uids.has(uid))
  expect(missed.map(({ message: { uid } }) => uid)).toEqual([])
  expect(shown.filter(({ may }) => !may).map(({ message: { uid } }) => uid)).toEqual([])
  expect(answer.visible).toBe(answer.rows.length)
  if (!asked.conceals) {
    expect(answer.matched).toBeGreaterThanOrEqual(all.filter(({ must }) => must).length)
    expect(answer.matched).toBeLessThanOrEqual(all.filter(({ may }) => may).length)
  }
  figures.missed += truth.rows.filter(({ uid }) => !uids.has(uid)).length
  figures.ofAttachments += answer.rows.filter(({ uid }) => !truth.rows.some((row) => row.uid === uid)).length
}

async function expectSame(box: readonly Placed[], mailbox: string, asked: Asked, page: readonly [number, number]) {
  const { query, match, rules, conceals } = asked
  const settled = { mailbox, query: settleIn(query, { name: mailbox, delimiter: '/', role: undefined }), match }
  const question = { ...settled, offset: 0, take: 1000 }
  const ask = (account: TwoWays['live'], wanted = question) => ways.ask(account, wanted, rules, conceals)
  const truth = brute(box, { ...asked, query: settled.query })
  const mirror = await ask(ways.mirrored)
  expect(mirror.coverage).toEqual({ source: 'mirror', complete: true, notes: [] })
  expect(mirror.rows.map(({ uid, level }) => ({ uid, level }))).toEqual(truth.rows)
  expect({ visible: mirror.visible, more: mirror.more }).toEqual({ visible: truth.visible, more: false })
  if (!conceals) expect(mirror.matched).toBe(truth.matched)
  const live = await ask(ways.live)
  expect(live.uidvalidity).toBe(mirror.uidvalidity)
  expect(live.coverage).toMatchObject({ source: 'live', complete: live.coverage.notes.length === 0 })
  expectLive(live, box, { ...asked, query: settled.query }, truth)
  const [offset, take] = page
  for (const [account, whole] of [
    [ways.mirrored, mirror],
    [ways.live, live],
  ] as const) {
    if (whole.rows.length < 2) continue
    const part = await ask(account, { ...question, offset, take })
    expect(part.rows).toEqual(whole.rows.slice(offset, offset + take))
    expect({ visible: part.visible, more: part.more }).toEqual({
      visible: whole.visible,
      more: whole.rows.length > offset + take,
    })
  }
  figures.questions += 1
  figures.found += truth.rows.length
}

const page = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 4 }))
const lastingRun = { numRuns: RUNS, interruptAfterTimeLimit: RUNS > 100 ? 3_600_000 : 240_000, endOnFailure: true }
const TIMEOUT = { timeout: RUNS > 100 ? 3_700_000 : 300_000 }

test('queries of somebody who sees everything', TIMEOUT, async () => {
  const questions = fc.array(fc.tuple(queryText, page), { minLength: QUERIES, maxLength: QUERIES })
  await fc.assert(
    fc.asyncProperty(boxful, questions, (letters, all) =>
      placed(letters, async (box, mailbox) => {
        for (const [text, where] of all) {
          const query = readable(text, NOW)
          if (query === undefined) continue
          await told(text, () =>
            expectSame(box, mailbox, { query, match: {}, rules: EVERYTHING_OPEN, conceals: false }, where),
          )
        }
      }),
    ),
    lastingRun,
  )
})

const level = fc.constantFrom<Level>('NONE', 'COUNT', 'METADATA', 'ENVELOPE', 'HEADERS', 'BODY', 'FULL')
const predicate = fc.oneof(
  fc.constantFrom(...ADDRESSES).map((from) => ({ from })),
  fc.constantFrom('a.example', 'b.example', 'in.example').map((from_domain) => ({ from_domain })),
  fc.constantFrom('in', 'voice', 'café', '京').map((subject_contains) => ({ subject_contains })),
  fc.boolean().map((has_attachment) => ({ has_attachment })),
  fc.constantFrom(300, 500).map((size_gt) => ({ size_gt })),
  fc.boolean().map((flagged) => ({ flagged })),
  fc.constantFrom('1d', '2h', '3d').map((newer_than) => ({ newer_than })),
)
const rule: fc.Arbitrary<PlainRule> = fc.tuple(predicate, level).map(([match, its]) => ({ match, level: its }))
const folder: fc.Arbitrary<FolderDefinition> = fc
  .tuple(fc.constantFrom('whitelist' as const, 'blacklist' as const), level, fc.array(rule, { maxLength: 4 }))
  .map(([mode, base, rules]) => ({
    ...{ path: '**', mode, capabilities: [] },
    default: mode === 'whitelist' ? 'NONE' : base === 'NONE' ? 'COUNT' : base,
    rules: rules.filter((one) => mode === 'blacklist' || one.level !== 'NONE').map(ruleOf),
  }))
const criterion = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  predicate.map((match) => ruleOf({ match, level: 'FULL' }).match),
)

test('queries of somebody who sees some of it, by rules', TIMEOUT, async () => {
  const question = fc.record({ text: queryText, page, rules: folder, match: criterion, conceals: fc.boolean() })
  const questions = fc.array(question, { minLength: QUERIES, maxLength: QUERIES })
  await fc.assert(
    fc.asyncProperty(boxful, questions, (letters, all) =>
      placed(letters, async (box, mailbox) => {
        for (const { text, page: where, rules, match, conceals } of all) {
          const query = readable(text, NOW)
          if (query === undefined) continue
          const asked = { query, match, rules, conceals }
          await told(JSON.stringify({ text, rules, match, conceals }), () => expectSame(box, mailbox, asked, where))
        }
      }),
    ),
    lastingRun,
  )
})

const openly = (query: string) => ({ query: parseQuery(query, NOW), match: {}, offset: 0, take: 1000 })
const both = (mailbox: string, query: string) =>
  Promise.all(
    [ways.mirrored, ways.live].map((account) =>
      ways.ask(account, { mailbox, ...openly(query) }, EVERYTHING_OPEN, false),
    ),
  )
const uidsIn = (answer: FolderAnswer | undefined) => answer?.rows.map(({ uid }) => uid)

test('what is new may not be read, and what is old is judged by what stands in it', async () => {
  const letters = ['a zebra', 'a horse'].map((text) => ({ raw: message('x', plain(text)), received: NOW - 86_400 }))
  const mailbox = await ways.fill([...letters, { raw: message('x', plain('a zebra')), received: NOW }])
  const newer = ruleOf({ match: { newer_than: '2h' }, level: 'METADATA' })
  const rules = { path: '**', mode: 'blacklist', default: 'BODY', capabilities: [], rules: [newer] } as const
  const asked = { mailbox, ...openly('-zebra') }
  const [mirror, live] = await Promise.all(
    [ways.mirrored, ways.live].map((from) => ways.ask(from, asked, rules, false)),
  )
  expect([uidsIn(mirror), uidsIn(live)]).toEqual([[2], [2]])
})

test('the text of attachments is known to the mirror alone, and the server says so', async () => {
  const zebra = file('text/plain', 'a.txt', Buffer.from('a zebra'))
  const letters = [several('mixed', plain('see below'), zebra), plain('a zebra'), plain('nothing')]
  const mailbox = await ways.fill(letters.map((piece) => ({ raw: message('x', piece), received: NOW })))
  const [mirror, live] = await both(mailbox, 'zebra')
  expect([uidsIn(mirror), uidsIn(live)]).toEqual([[2, 1], [2]])
  const [without, alsoWithout] = await both(mailbox, '-zebra')
  expect([uidsIn(without), uidsIn(alsoWithout)]).toEqual([[3], [3, 1]])
  for (const { coverage } of [live, alsoWithout].flatMap((one) => one ?? [])) {
    expect(coverage.notes).toEqual([expect.stringContaining('text of attachments may be missed')])
  }
  await ways.empty(mailbox)
})

test('of more bodies than are read in one go the newest are, and the answer counts the others', TIMEOUT, async () => {
  const raw = message('x', plain('a heron'))
  const mailbox = await ways.fill(Array.from({ length: 507 }, (_, at) => ({ raw, received: NOW - at })))
  const [mirror, live] = await both(mailbox, 'body:heron')
  const all = Array.from({ length: 507 }, (_, at) => at + 1)
  expect(uidsIn(mirror)).toEqual(all)
  expect(uidsIn(live)).toEqual(all.slice(0, 500))
  expect(live?.coverage).toMatchObject({ source: 'live', complete: false })
  expect(live?.coverage.notes.at(-1)).toMatch(/^7 older messages that may match were not looked into/)
  await ways.empty(mailbox)
})

const part = fc.oneof(
  fc.constantFrom(...WORDS, ...ADDRESSES, 'nvoi', 'VOICE', 'afé', '京都', 'example', ' <', 'zebra'),
  phrase,
)
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 1 })
const day = fc.constantFrom('2025-06-14', '2025-06-15', '2025-06-16', '2025-06-17')
const criteria: fc.Arbitrary<Criteria> = fc
  .record({
    ...{ from: maybe(part), to: maybe(part), subject: maybe(part) },
    ...{ unread: maybe(fc.constant(true as const)), flagged: maybe(fc.boolean()) },
    ...{ larger: maybe(fc.constantFrom(0, 300, 500)), smaller: maybe(fc.constantFrom(300, 500, 1000)) },
    ...{ since: maybe(day), until: maybe(day) },
  })
  .chain((all) => fc.subarray(Object.entries(all), { minLength: 1, maxLength: 3 }))
  .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Criteria)

test('criteria, as the server answers them', TIMEOUT, async () => {
  const questions = fc.array(fc.tuple(criteria, page), { minLength: QUERIES, maxLength: QUERIES })
  await fc.assert(
    fc.asyncProperty(boxful, questions, (letters, all) =>
      placed(letters, async (_box, mailbox) => {
        for (const [asked, [skip, take]] of all) {
          const search = { criteria: asked, take: skip + take }
          const [live, mirrored] = await Promise.all(
            [ways.live, ways.mirrored].map(({ source }) => source.find(mailbox, search, never())),
          )
          // Only a server knows what it takes for text.
          const kept = asked.text === undefined ? true : undefined
          await told(JSON.stringify(asked), () => expect(mirrored).toEqual({ ...live, kept }))
          figures.questions += 1
        }
      }),
    ),
    lastingRun,
  )
})

/** Says which of many questions it was. */
async function told(what: string, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new Error(`asked ${what}`, { cause: error })
  }
}
