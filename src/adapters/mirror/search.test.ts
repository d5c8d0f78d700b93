import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  definitionOf,
  type Field,
  NOW,
  OWN_SERVER,
  plainFolder,
  message as policyMessage,
} from '../../../test/policy/engine/generators.ts'
import { type Criteria, newestFirst } from '../../core/criteria.ts'
import { parseHeader } from '../../core/mime/header.ts'
import type { Part } from '../../core/mime/part.ts'
import type { MessageText, Row } from '../../core/mirror/state.ts'
import { type FactSource, factsOf } from '../../core/policy/facts.ts'
import { compileFolder, type FolderDefinition } from '../../core/policy/folder.ts'
import { atLeast, LEVELS, type Level } from '../../core/policy/level.ts'
import { compileMatch, type Match } from '../../core/policy/predicates.ts'
import { matches, searchableFrom } from '../../core/query/evaluate.ts'
import { MAX_QUERY_NESTING, parseQuery } from '../../core/query/parse.ts'
import type { Query, WordField } from '../../core/query/query.ts'
import { asReadAt } from '../../core/query/readable.ts'
import { piecesOf } from '../../core/query/words.ts'
import type { MirrorStore, Sift } from '../../ports/mirror-store.ts'
import { fileLocks } from '../lock/file-locks.ts'
import { databaseFiles } from '../sqlite/database-files.ts'
import { fold, foldedField } from './fold.ts'
import { createMirrorStore } from './store.ts'

/** Many searches each, on a machine that may be busy. */
const SLOW = { timeout: 300_000 }

let directory: string
let store: MirrorStore
let path: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mirror-'))
  path = join(directory, 'a.db')
  store = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
  await store.lease()
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

interface Message {
  readonly mailbox: string
  readonly row: Row
  readonly text: MessageText
}

const WORDS = [
  'ann',
  'Anna',
  'bill',
  'invoice',
  'Über',
  'uber',
  '東京都',
  '京都',
  '東',
  'ไทย',
  'x1',
  'é',
  'ΣΟΦΟΣ',
  'a\u00adnn',
]
const phrase = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' '))
const FLAGS = ['\\Seen', '\\Flagged', '\\ANSWERED', '$Work', '$work2', 'work']

const leaf: Part = {
  id: '1',
  type: 'text/plain',
  parameters: { charset: 'utf-8' },
  disposition: undefined,
  filename: undefined,
  contentId: undefined,
  encoding: '7bit',
  size: 1,
  children: [],
}
const attached = (filename: string): Part => ({
  ...leaf,
  id: '',
  type: 'multipart/mixed',
  children: [leaf, { ...leaf, id: '2', type: 'application/pdf', disposition: 'attachment', filename }],
})
const structure = fc.oneof(fc.constant(leaf), phrase.map(attached))
const bytesOf = (fields: readonly Field[]): Uint8Array =>
  new TextEncoder().encode(fields.map(({ name, value }) => `${name}: ${value}\r\n`).join(''))

/** With words of every kind in every field. */
const wordy = fc
  .record({
    from: phrase,
    to: phrase,
    cc: phrase,
    bcc: phrase,
    subjects: fc.array(phrase, { maxLength: 2 }),
    id: fc.constantFrom('<one@x>', 'two@x', '<three@x>'),
  })
  .map(({ subjects, from, to, cc, bcc, id }): Field[] => [
    { name: 'From', value: from },
    { name: 'TO', value: to },
    { name: 'Cc', value: cc },
    { name: 'Bcc', value: bcc },
    ...subjects.map((value) => ({ name: 'Subject', value })),
    { name: 'Message-ID', value: id },
  ])
/** With senders and subjects as rules look at them. */
const ruled = policyMessage.map(({ evidence }) => evidence.header as Field[])

const messageIn = (header: fc.Arbitrary<Field[]>): fc.Arbitrary<Omit<Message, 'mailbox'>> =>
  fc
    .record({
      header,
      headerCut: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      structure,
      size: fc.constantFrom(0, 9, 10, 11, 100_000),
      age: fc.constantFrom(-5, 0, 0, 0, 60, 61, 3600, 86_401, 604_801),
      flags: fc.subarray(FLAGS),
      body: phrase,
      attachments: fc.array(phrase, { maxLength: 2 }),
      uncertain: fc.oneof(fc.constant(''), phrase),
      uncertainAttachments: fc.array(phrase, { maxLength: 2 }),
    })
    .map(({ header: fields, headerCut, structure: parts, size, age, flags, body, attachments, ...unsure }) => ({
      row: { uid: 0, received: NOW - age, size, flags, header: bytesOf(fields), headerCut, structure: parts },
      text: { uid: 0, body, attachments, snippet: body.slice(0, 5), ...unsure },
    }))

const BOXES = ['INBOX', 'Archive', 'Other']
const boxful = (header: fc.Arbitrary<Field[]>): fc.Arbitrary<readonly Message[]> =>
  fc.array(fc.tuple(fc.constantFrom(...BOXES.slice(0, 2)), messageIn(header)), { maxLength: 12 }).map((list) =>
    list.map(([mailbox, { row, text }], at) => ({
      mailbox,
      row: { ...row, uid: at + 1 },
      text: { ...text, uid: at + 1 },
    })),
  )

const fields = fc.constantFrom<WordField>('any', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'filename')
const words = fc
  .record({
    field: fields,
    text: fc.array(fc.constantFrom(...WORDS, 'in', 'b'), { minLength: 1, maxLength: 2 }),
    open: fc.boolean(),
    unsure: fc.boolean(),
  })
  .map(({ field, text, open, unsure }): Query => {
    const uncertain = unsure && (field === 'any' || field === 'body') && ({ uncertain: true } as const)
    return { kind: 'words', field, pieces: piecesOf(text.join(' ')), open, ...uncertain }
  })
const query: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small' },
    { weight: 5, arbitrary: words },
    fc.constantFrom<Query>(
      { kind: 'all' },
      { kind: 'none' },
      { kind: 'attachment' },
      { kind: 'uncertain', where: 'any' },
      { kind: 'uncertain', where: 'body' },
    ),
    fc.constantFrom(...FLAGS, '\\seen', 'WORK', 'no such').map((flag): Query => ({ kind: 'flag', flag })),
    fc.constantFrom(NOW, NOW - 60, NOW - 86_400, 5).map((from): Query => ({ kind: 'received', from })),
    fc.constantFrom(NOW, NOW - 60, NOW - 86_400, 5).map((before): Query => ({ kind: 'received', before })),
    fc.constantFrom(9, 10, 11).map((over): Query => ({ kind: 'size', over, under: 100_000 })),
    fc.constantFrom('one@x', 'two@x', 'One@x', '').map((id): Query => ({ kind: 'message_id', id })),
    { weight: 2, arbitrary: fc.array(tie('query'), { maxLength: 3 }).map((of): Query => ({ kind: 'and', of })) },
    { weight: 2, arbitrary: fc.array(tie('query'), { maxLength: 3 }).map((of): Query => ({ kind: 'or', of })) },
    { weight: 2, arbitrary: tie('query').map((of): Query => ({ kind: 'not', of })) },
  ),
})).query

const ALL: ReadonlySet<FactSource> = new Set(['senders', 'recipients', 'subject', 'authentication', 'structure'])
const evidenceOf = ({ row }: Message) => ({ ...row, header: parseHeader(row.header) })
const factsIn = (message: Message) => factsOf(evidenceOf(message), ALL, OWN_SERVER)
const levelIn = (message: Message, rules: FolderDefinition | undefined, now = NOW): Level =>
  rules === undefined ? 'FULL' : compileFolder(rules).verdict(factsIn(message), now).level

function meets(
  { from, to, subject, unread, flagged, larger, smaller, since, until }: Criteria,
  message: Message,
): boolean {
  const { row } = message
  const header = row.headerCut ? [] : parseHeader(row.header)
  const has = (flag: string): boolean => row.flags.some((one) => one.toLowerCase() === flag)
  const day = new Date(row.received * 1000).toISOString().slice(0, 10)
  const holds = (name: string, part: string | undefined): boolean =>
    part === undefined || foldedField(header, name).includes(fold(part))
  return (
    holds('from', from) &&
    holds('to', to) &&
    holds('subject', subject) &&
    !(unread && has('\\seen')) &&
    (flagged === undefined || has('\\flagged') === flagged) &&
    (larger === undefined || row.size > larger) &&
    (smaller === undefined || row.size < smaller) &&
    (since === undefined || day >= since) &&
    (until === undefined || day <= until)
  )
}

/** From which level a caller reads what is asked for; the rest is read from METADATA on. */
const READ_FROM: Readonly<Record<string, Level>> = {
  ...{ from: 'ENVELOPE', from_domain: 'ENVELOPE', to: 'ENVELOPE', to_contains: 'ENVELOPE', since: 'ENVELOPE' },
  ...{ subject: 'ENVELOPE', subject_contains: 'ENVELOPE', until: 'ENVELOPE' },
  ...{ newer_than: 'ENVELOPE', older_than: 'ENVELOPE', authenticated: 'HEADERS', has_attachment: 'FULL' },
}

function isReadable({ criteria, match }: Sift, level: Level): boolean {
  return Object.keys({ ...criteria, ...match }).every((name) => atLeast(level, READ_FROM[name] ?? 'METADATA'))
}

function brute(messages: readonly Message[], mailboxes: readonly string[], asked: Sift) {
  const { criteria, match, rules, needed, after, belowUid, skip, offset = 0, take, nowSeconds } = asked
  const known = (test: () => boolean): boolean => {
    try {
      return test()
    } catch {
      return false
    }
  }
  const found = messages
    .filter(({ mailbox, row }) => mailboxes.includes(mailbox) && (belowUid === undefined || row.uid < belowUid))
    .map((message) => ({ message, level: levelIn(message, rules.get(message.mailbox), nowSeconds) }))
    .filter(({ message }) => meets(criteria, message))
    .filter(({ message }) => known(() => compileMatch(match, 'any')(factsIn(message), nowSeconds)))
    .filter(
      ({ message, level }) =>
        isReadable(asked, level) &&
        matches(asReadAt(asked.query, level), searchableFrom(evidenceOf(message), message.text)),
    )
    .sort((a, b) => newestFirst(a.message.row, b.message.row))
  const visible = found.filter(({ level }) => atLeast(level, needed))
  const listed = visible
    .filter(({ message }) => after === undefined || newestFirst(after, message.row) < 0)
    .filter(({ message }) => !skip?.has(message.row.uid))
  return {
    matched: found.length,
    visible: visible.length,
    rows: listed.slice(offset, offset + take).map(({ message: { mailbox, row }, level }) => ({
      mailbox,
      uid: row.uid,
      received: row.received,
      level,
    })),
    more: listed.length > offset + take,
  }
}

async function keep(messages: readonly Message[]): Promise<void> {
  for (const mailbox of BOXES) {
    const its = messages.filter((message) => message.mailbox === mailbox)
    await store.remake(mailbox, { uidvalidity: 7, uidNext: 100, messages: its.length })
    const newest = its.map(({ row }) => row).reverse()
    await store.fill(mailbox, newest, 1)
    const texts = its.map(({ text }) => text)
    await store.index(mailbox, texts.slice(0, 3), 'full', OWN_SERVER)
    await store.index(mailbox, texts.slice(3), 'full', OWN_SERVER)
  }
}

const criteria: fc.Arbitrary<Criteria> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.constantFrom<Criteria>(
    { unread: true },
    { flagged: true },
    { flagged: false, larger: 9 },
    { smaller: 11 },
    { since: '2033-05-18' },
    { until: '2033-05-17' },
    { from: 'AN' },
    { to: 'über' },
    { subject: 'ill IN' },
  ),
)
const match = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Match>({}) },
  plainFolder.map((folder) => definitionOf(folder).rules[0]?.match ?? {}),
)
const rulesFor = fc.tuple(plainFolder, fc.integer({ min: 0, max: 3 })).map(([folder, which]) => {
  const rules = definitionOf(folder)
  const ruledBoxes = BOXES.filter((_, at) => (which >> at) % 2 === 1)
  return new Map(ruledBoxes.map((box) => [box, rules]))
})
const page = fc.record(
  {
    after: fc.record({ received: fc.constantFrom(NOW, NOW - 60, NOW + 5), uid: fc.integer({ min: 1, max: 12 }) }),
    belowUid: fc.integer({ min: 1, max: 14 }),
    skip: fc.array(fc.integer({ min: 1, max: 12 })).map((uids) => new Set(uids)),
    offset: fc.integer({ min: 0, max: 4 }),
  },
  { requiredKeys: [] },
)
const asks = fc.record({
  query,
  criteria,
  match,
  rules: rulesFor,
  needed: fc.constantFrom(...LEVELS),
  take: fc.integer({ min: 0, max: 6 }),
  page,
  mailboxes: fc.subarray(BOXES, { minLength: 1 }),
})

describe('what a search finds is what brute force finds', () => {
  const check = (header: fc.Arbitrary<Field[]>, numRuns: number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(
        boxful(header),
        fc.array(asks, { minLength: 10, maxLength: 25 }),
        async (messages, questions) => {
          await keep(messages)
          for (const { page: cut, mailboxes, ...rest } of questions) {
            const asked: Sift = { ...rest, ...cut, nowSeconds: NOW }
            expect(await store.sift(mailboxes, asked), JSON.stringify(asked)).toEqual(brute(messages, mailboxes, asked))
          }
        },
      ),
      { numRuns },
    )

  test('of words in every field', SLOW, () => check(wordy, 30))
  test('of mail as rules look at it', SLOW, () => check(ruled, 30))

  test.each(['-(a OR ', '-(a ', '(b OR (a ', '-(from:a OR '])(
    'of what is nested as deep as can be: %s',
    async (opening) => {
      const header = bytesOf([{ name: 'From', value: 'a@x.example' }])
      const row: Row = { uid: 1, received: NOW, size: 1, flags: [], header, headerCut: false, structure: leaf }
      const messages = ['a', 'b', 'a z', 'z'].map((body, at) => ({
        mailbox: 'INBOX',
        row: { ...row, uid: at + 1 },
        text: { uid: at + 1, body, attachments: [], snippet: '' },
      }))
      await keep(messages)
      const brackets = opening.split('(').length - 1
      const times = Math.floor(MAX_QUERY_NESTING / brackets)
      const nested = parseQuery(`${opening.repeat(times)}z${')'.repeat(times * brackets)}`, NOW)
      const rest = { criteria: {}, match: {}, rules: new Map(), needed: 'METADATA', take: 9 } as const
      const asked: Sift = { ...rest, query: nested, nowSeconds: NOW }
      expect(await store.sift(['INBOX'], asked)).toEqual(brute(messages, ['INBOX'], asked))
    },
  )

  test('by criteria, in one mailbox', SLOW, () =>
    fc.assert(
      fc.asyncProperty(
        boxful(wordy),
        fc.array(fc.tuple(criteria, page, fc.nat(5)), { minLength: 5 }),
        async (messages, asked) => {
          await keep(messages)
          for (const [wanted, { offset: _, ...cut }, take] of asked) {
            const all: Sift = {
              ...cut,
              criteria: wanted,
              take,
              query: { kind: 'all' },
              match: {},
              rules: new Map(),
              nowSeconds: NOW,
              needed: 'NONE',
            }
            const { matched, rows, more } = brute(messages, ['INBOX'], all)
            expect(await store.find('INBOX', { criteria: wanted, ...cut, take })).toEqual({
              uidvalidity: 7,
              uidNext: 100,
              total: matched,
              uids: rows.map(({ uid }) => uid),
              more,
            })
          }
        },
      ),
      { numRuns: 30 },
    ),
  )
})

describe('when messages were received', () => {
  const header = bytesOf([{ name: 'Subject', value: 'ann' }])
  const at = (received: number, uid: number): Message => ({
    mailbox: 'INBOX',
    row: { uid, received, size: 1, flags: [], header, headerCut: false, structure: leaf },
    text: { uid, body: '', attachments: [], snippet: '' },
  })
  const asking = (asked: Query): Sift => ({
    ...{ query: asked, criteria: {}, match: {}, rules: new Map(), nowSeconds: NOW, needed: 'METADATA', take: 50 },
  })

  test('also before the first moment that a key can tell, and behind the last', SLOW, async () => {
    const LAST = 2 ** 32 - 1
    const moments = [-86_400, -2, -1, 0, 1, 2, NOW, NOW + 1, LAST - 1, LAST, LAST + 1, LAST + 2, 2 ** 40]
    const messages = moments.map((moment, index) => at(moment, index + 1))
    await keep(messages)
    const edges = [undefined, ...moments, NOW + 0.5]
    const inside: readonly Query[] = [{ kind: 'all' }, { kind: 'words', field: 'any', pieces: ['ann'], open: false }]
    for (const [from, before] of edges.flatMap((one) => edges.map((other) => [one, other]))) {
      const span: Query = {
        kind: 'received',
        ...(from !== undefined && { from }),
        ...(before !== undefined && { before }),
      }
      for (const other of inside) {
        const { matched, visible, rows } = await store.sift(['INBOX'], asking({ kind: 'and', of: [other, span] }))
        const wanted = messages
          .filter(({ row }) => row.received >= (from ?? -Infinity) && row.received < (before ?? Infinity))
          .map(({ row }) => row.uid)
        expect([matched, visible], JSON.stringify(span)).toEqual([wanted.length, wanted.length])
        expect(rows.map(({ uid }) => uid).sort((a, b) => a - b)).toEqual(wanted)
      }
    }
  })

  test('also where the last key of the second is taken', async () => {
    // Only then has the last uid of a second the last key.
    for (let folder = 1; folder < 255; folder += 1) {
      await store.remake('INBOX', { uidvalidity: folder, uidNext: 1, messages: 0 })
    }
    await keep([at(NOW, 2 ** 23), at(NOW, 2 ** 24), at(NOW, 2 ** 25)])
    const found = async (asked: Query): Promise<number> => (await store.sift(['INBOX'], asking(asked))).matched
    expect(await found({ kind: 'received', from: NOW, before: NOW + 1 })).toBe(3)
    expect(await found({ kind: 'received', before: NOW })).toBe(0)
  })
})

describe('levels by SQL are levels by the rules', () => {
  test('whatever the rules', SLOW, () =>
    fc.assert(
      fc.asyncProperty(
        boxful(ruled),
        fc.array(plainFolder, { minLength: 8, maxLength: 20 }),
        async (messages, folders) => {
          await keep(messages)
          for (const folder of folders) {
            const rules = definitionOf(folder)
            const wanted = new Map<Level, number>()
            for (const message of messages.filter(({ mailbox }) => mailbox === 'INBOX')) {
              const level = levelIn(message, rules)
              wanted.set(level, (wanted.get(level) ?? 0) + 1)
            }
            expect(await store.countLevels('INBOX', rules, NOW)).toEqual(wanted)
          }
        },
      ),
      { numRuns: 30 },
    ),
  )

  test('also after flags have changed, and messages have come and gone', SLOW, () =>
    fc.assert(
      fc.asyncProperty(
        boxful(ruled),
        boxful(ruled),
        plainFolder.map(definitionOf),
        fc.subarray(FLAGS),
        async (messages, later, rules, flags) => {
          await keep(messages)
          const inbox = messages.filter(({ mailbox }) => mailbox === 'INBOX')
          await store.countLevels('INBOX', rules, NOW)
          const [gone, stay] = [inbox.filter((_, at) => at % 3 === 0), inbox.filter((_, at) => at % 3 !== 0)]
          const arrived = later.map(({ row, text }) => ({
            mailbox: 'INBOX',
            row: { ...row, uid: row.uid + 100 },
            text: { ...text, uid: text.uid + 100 },
          }))
          const now = [...stay.map((one) => ({ ...one, row: { ...one.row, flags } })), ...arrived]
          await store.apply('INBOX', {
            state: { uidvalidity: 7, uidNext: 200, messages: now.length },
            flags: stay.map(({ row }) => ({ uid: row.uid, flags })),
            gone: gone.map(({ row }) => row.uid),
            arrived: arrived.map(({ row }) => row),
          })
          await store.index(
            'INBOX',
            arrived.map(({ text }) => text),
            'full',
            OWN_SERVER,
          )
          const wanted = new Map<Level, number>()
          for (const level of now.map((message) => levelIn(message, rules)))
            wanted.set(level, (wanted.get(level) ?? 0) + 1)
          expect(await store.countLevels('INBOX', rules, NOW)).toEqual(wanted)
          const asked: Sift = {
            query: { kind: 'words', field: 'any', pieces: ['ann'], open: true },
            criteria: {},
            match: {},
            rules: new Map([['INBOX', rules]]),
            nowSeconds: NOW,
            needed: 'ENVELOPE',
            take: 50,
          }
          expect(await store.sift(['INBOX'], asked)).toEqual(brute(now, ['INBOX'], asked))
        },
      ),
      { numRuns: 60 },
    ),
  )

  test('more rules than a number has bits', async () => {
    const header = bytesOf([{ name: 'From', value: 'ann@a.example' }])
    const row: Row = { uid: 1, received: NOW, size: 1, flags: [], header, headerCut: false, structure: leaf }
    await keep([{ mailbox: 'INBOX', row, text: { uid: 1, body: '', attachments: [], snippet: '' } }])
    const others = Array.from({ length: 130 }, (_, at) => ({
      match: { from: `x${at}@a.example` },
      level: 'BODY' as const,
    }))
    const rules: FolderDefinition = {
      path: 'INBOX',
      mode: 'whitelist',
      default: 'NONE',
      rules: [...others, { match: { from: 'ann@a.example' }, level: 'ENVELOPE' }],
      capabilities: [],
    }
    expect(await store.countLevels('INBOX', rules, NOW)).toEqual(new Map([['ENVELOPE', 1]]))
  })

  test('rules that make no sense hide everything, also beside ones that look alike and do', async () => {
    const header = bytesOf([{ name: 'From', value: 'ann@a.example' }])
    const row: Row = { uid: 1, received: NOW, size: 1, flags: [], header, headerCut: false, structure: leaf }
    await keep([{ mailbox: 'INBOX', row, text: { uid: 1, body: '', attachments: [], snippet: '' } }])
    const rules = (match: unknown): FolderDefinition => ({
      path: 'INBOX',
      mode: 'whitelist',
      default: 'NONE',
      rules: [{ match: match as Match, level: 'FULL' }],
      capabilities: [],
    })
    expect(await store.countLevels('INBOX', rules({}), NOW)).toEqual(new Map([['FULL', 1]]))
    expect(await store.countLevels('INBOX', rules({ from: undefined }), NOW)).toEqual(new Map([['NONE', 1]]))
    expect(await store.countLevels('INBOX', rules({ newer_than: 60 }), Number.NaN)).toEqual(new Map([['NONE', 1]]))
  })
})

describe('what is remembered', () => {
  const aged = fc.record({
    mode: fc.constantFrom<FolderDefinition['mode']>('whitelist', 'blacklist'),
    default: fc.constantFrom(...LEVELS),
    rules: fc.array(
      fc.record({
        level: fc.constantFrom(...LEVELS),
        match: fc.record<Match>(
          {
            newer_than: fc.constantFrom(0, 1, 60, 3600),
            older_than: fc.constantFrom(0, 1, 59, 60, 86_400),
            flagged: fc.boolean(),
            size_gt: fc.constantFrom(9, 10),
          },
          { requiredKeys: [] },
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  const moments = fc.array(
    fc
      .tuple(fc.constantFrom(0, 0, 60, 3600, 86_400), fc.integer({ min: -6, max: 6 }))
      .map(([later, off]) => NOW + later + off),
    { minLength: 5, maxLength: 12 },
  )

  const ages = fc.constantFrom<Match>({}, {}, { newer_than: 60 }, { older_than: 60 })

  test('is forgotten when a message gets older than a rule asks, and when anybody writes', SLOW, async () => {
    const other = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
    try {
      await fc.assert(
        fc.asyncProperty(boxful(ruled), aged, moments, query, ages, fc.subarray(FLAGS), async (...given) => {
          const [messages, definition, times, wanted, age, flags] = given
          await keep(messages)
          const rules: FolderDefinition = { ...definition, path: 'INBOX', capabilities: [] }
          const check = async (its: readonly Message[], nowSeconds: number): Promise<void> => {
            const page = { take: 3, needed: 'ENVELOPE' as const, rules: new Map([['INBOX', rules]]), nowSeconds }
            const asked: Sift = { ...page, query: wanted, criteria: {}, match: age }
            const counted = new Map<Level, number>()
            for (const message of its.filter(({ mailbox }) => mailbox === 'INBOX')) {
              const level = levelIn(message, rules, nowSeconds)
              counted.set(level, (counted.get(level) ?? 0) + 1)
            }
            for (const reader of [store, other]) {
              expect(await reader.countLevels('INBOX', rules, nowSeconds)).toEqual(counted)
              expect(await reader.sift(['INBOX', 'Archive'], asked)).toEqual(brute(its, ['INBOX', 'Archive'], asked))
            }
          }
          for (const now of times) await check(messages, now)
          const inbox = messages.filter(({ mailbox }) => mailbox === 'INBOX')
          const [gone] = inbox
          await store.apply('INBOX', {
            state: { uidvalidity: 7, uidNext: 100, messages: Math.max(0, inbox.length - 1) },
            flags: inbox.map(({ row }) => ({ uid: row.uid, flags })),
            gone: gone === undefined ? [] : [gone.row.uid],
            arrived: [],
          })
          const later = messages
            .filter((message) => message !== gone)
            .map((one) => (one.mailbox === 'INBOX' ? { ...one, row: { ...one.row, flags } } : one))
          for (const now of times) await check(later, now)
        }),
        { numRuns: 25 },
      )
    } finally {
      await other.close()
    }
  })

  const changes = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: boxful(ruled).map((messages) => ({ kind: 'come' as const, messages })) },
      fc.record({ kind: fc.constant('go' as const), at: fc.nat() }),
      fc.record({ kind: fc.constant('flag' as const), at: fc.nat(), flags: fc.subarray(FLAGS) }),
      fc.record({ kind: fc.constant('index' as const), at: fc.nat(), body: phrase }),
    ),
    { minLength: 2, maxLength: 8 },
  )
  type Change = typeof changes extends fc.Arbitrary<readonly (infer One)[]> ? One : never

  /** Makes a change, and says what is there then. */
  async function change(messages: readonly Message[], made: Change): Promise<readonly Message[]> {
    const state = { uidvalidity: 7, uidNext: 1000, messages: messages.length }
    const still = { state, flags: [], gone: [], arrived: [] }
    if (made.kind === 'come') return arrive(messages, made.messages)
    const its = messages[made.at % messages.length]
    if (its === undefined) return messages
    const { mailbox, row, text } = its
    const others = messages.filter((one) => one !== its)
    if (made.kind === 'go') {
      await store.apply(mailbox, { ...still, gone: [row.uid] })
      return others
    }
    if (made.kind === 'flag') {
      await store.apply(mailbox, { ...still, flags: [{ uid: row.uid, flags: made.flags }] })
      return [...others, { mailbox, row: { ...row, flags: made.flags }, text }]
    }
    const anew = { ...text, body: made.body }
    await store.index(mailbox, [anew], 'full', OWN_SERVER)
    return [...others, { mailbox, row, text: anew }]
  }

  async function arrive(messages: readonly Message[], more: readonly Message[]): Promise<readonly Message[]> {
    const above = Math.max(0, ...messages.map(({ row }) => row.uid))
    const come = more.map(({ mailbox, row, text }) => {
      const uid = above + row.uid
      return { mailbox, row: { ...row, uid }, text: { ...text, uid } }
    })
    for (const [mailbox = '', its = []] of Map.groupBy(come, (message) => message.mailbox)) {
      const state = { uidvalidity: 7, uidNext: 1000, messages: messages.length + come.length }
      await store.apply(mailbox, { state, flags: [], gone: [], arrived: its.map(({ row }) => row) })
      const texts = its.map(({ text }) => text)
      await store.index(mailbox, texts, 'full', OWN_SERVER)
    }
    return [...messages, ...come]
  }

  const starred: FolderDefinition = {
    path: 'INBOX',
    mode: 'whitelist',
    default: 'METADATA',
    rules: [{ match: { flagged: true }, level: 'BODY' }],
    capabilities: [],
  }
  const everywhere = { criteria: {}, match: {}, needed: 'BODY', take: 1, page: {}, mailboxes: BOXES } as const
  const aboutFlags = [
    { ...everywhere, query: { kind: 'flag', flag: '\\Seen' }, rules: new Map() },
    { ...everywhere, query: { kind: 'not', of: { kind: 'flag', flag: '$Work' } }, rules: new Map() },
    { ...everywhere, query: { kind: 'all' }, rules: new Map([['INBOX', starred]]) },
  ] as const

  test('is right again after whatever has come, gone, been flagged or indexed anew', SLOW, async () => {
    const other = createMirrorStore({ path, clock: { now: () => 1 }, locks: fileLocks, databases: databaseFiles })
    const questions = fc.array(asks, { minLength: 2, maxLength: 4 })
    try {
      await fc.assert(
        fc.asyncProperty(boxful(ruled), questions, plainFolder.map(definitionOf), changes, async (...given) => {
          const [before, asked, rules, made] = given
          let messages = before
          await keep(messages)
          const check = async (): Promise<void> => {
            const counted = new Map<Level, number>()
            for (const message of messages.filter(({ mailbox }) => mailbox === 'INBOX')) {
              const level = levelIn(message, rules)
              counted.set(level, (counted.get(level) ?? 0) + 1)
            }
            for (const reader of [store, other]) {
              expect(await reader.countLevels('INBOX', rules, NOW)).toEqual(counted)
              for (const { page: its, mailboxes, ...wanted } of [...asked, ...aboutFlags]) {
                const sift: Sift = { ...wanted, ...its, nowSeconds: NOW }
                expect(await reader.sift(mailboxes, sift)).toEqual(brute(messages, mailboxes, sift))
              }
            }
          }
          await check()
          for (const one of made) {
            messages = await change(messages, one)
            await check()
          }
        }),
        { numRuns: 40 },
      )
    } finally {
      await other.close()
    }
  })

  test('is right again after many have come at once, and after many are gone', SLOW, async () => {
    const many = 1300
    const sender = (uid: number): string => (uid % 3 === 0 ? 'ann@a.example' : 'bob@b.example')
    const some = (from: number, to: number): readonly Message[] =>
      Array.from({ length: to - from }, (_, at) => {
        const uid = from + at
        const header = bytesOf([{ name: 'From', value: sender(uid) }])
        const row: Row = { uid, received: NOW - uid, size: 1, flags: [], header, headerCut: false, structure: leaf }
        return { mailbox: 'INBOX', row, text: { uid, body: 'hello', attachments: [], snippet: '' } }
      })
    const rules = new Map([
      [
        'INBOX',
        {
          path: 'INBOX',
          mode: 'whitelist' as const,
          default: 'NONE' as const,
          rules: [{ match: { from: 'ann@a.example' }, level: 'BODY' as const }],
          capabilities: [],
        },
      ],
    ])
    const hello: Query = { kind: 'words', field: 'any', pieces: ['hello'], open: false }
    const page = { criteria: {}, match: {}, needed: 'BODY' as const, take: 2, nowSeconds: NOW, rules }
    let messages = some(1, 2)
    const check = async (): Promise<void> => {
      for (const query of [hello, { kind: 'all' } as const]) {
        expect(await store.sift(['INBOX'], { ...page, query })).toEqual(brute(messages, ['INBOX'], { ...page, query }))
      }
    }
    await keep(messages)
    await check()
    const state = { uidvalidity: 7, uidNext: many, messages: many }
    const come = some(2, many)
    await store.apply('INBOX', { state, flags: [], gone: [], arrived: come.map(({ row }) => row) })
    const texts = come.map(({ text }) => text)
    await store.index('INBOX', texts, 'full', OWN_SERVER)
    messages = [...messages, ...come]
    await check()
    const gone = messages.slice(100, -100).map(({ row }) => row.uid)
    await store.apply('INBOX', { state, flags: [], gone, arrived: [] })
    messages = messages.filter(({ row }) => !gone.includes(row.uid))
    await check()
  })
})

test('a search that cannot be made leaves the next one as it was', async () => {
  const header = bytesOf([{ name: 'From', value: 'ann@a.example' }])
  const row: Row = { uid: 1, received: NOW, size: 1, flags: [], header, headerCut: false, structure: leaf }
  await keep([{ mailbox: 'INBOX', row, text: { uid: 1, body: 'hello', attachments: [], snippet: '' } }])
  const rules: FolderDefinition = {
    path: 'INBOX',
    mode: 'whitelist',
    default: 'NONE',
    rules: [{ match: { from: 'ann@a.example' }, level: 'BODY' }],
    capabilities: [],
  }
  const asked: Sift = {
    query: { kind: 'words', field: 'any', pieces: ['hello'], open: false },
    criteria: {},
    match: {},
    rules: new Map([['INBOX', rules]]),
    nowSeconds: NOW,
    needed: 'BODY',
    take: 5,
  }
  const found = {
    matched: 1,
    visible: 1,
    rows: [{ mailbox: 'INBOX', uid: 1, received: NOW, level: 'BODY' }],
    more: false,
  }
  await expect(store.sift(['INBOX'], { ...asked, criteria: { text: 'x' } })).rejects.toThrow('not asked')
  await expect(store.sift(['INBOX'], { ...asked, query: { kind: 'in', place: 'x' } })).rejects.toThrow('settled')
  expect(await store.sift(['INBOX'], asked)).toEqual(found)
  await store.tidy()
  expect(await store.sift(['INBOX'], asked)).toEqual(found)
})

test('as many rules as there are folders', async () => {
  const boxes = Array.from({ length: 9 }, (_, at) => `box${at}`)
  const header = bytesOf([{ name: 'From', value: 'ann@a.example' }])
  const row: Row = { uid: 1, received: NOW, size: 1, flags: [], header, headerCut: false, structure: leaf }
  for (const box of boxes) {
    await store.remake(box, { uidvalidity: 7, uidNext: 2, messages: 1 })
    await store.fill(box, [row], 1)
    await store.index(box, [{ uid: 1, body: '', attachments: [], snippet: '' }], 'full', OWN_SERVER)
  }
  const rulesOf = (box: string): FolderDefinition => ({
    path: box,
    mode: 'whitelist',
    default: 'NONE',
    rules: [
      { match: { from: 'ann@a.example' }, level: 'BODY' },
      { match: { from: `${box}@a.example` }, level: 'FULL' },
    ],
    capabilities: [],
  })
  const asked: Sift = {
    query: { kind: 'all' },
    criteria: {},
    match: {},
    rules: new Map(boxes.map((box) => [box, rulesOf(box)])),
    nowSeconds: NOW,
    needed: 'BODY',
    take: 20,
  }
  for (let time = 0; time < 2; time += 1) {
    expect(await store.sift(boxes, asked)).toMatchObject({ matched: 9, visible: 9, more: false })
  }
})
