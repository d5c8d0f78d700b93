/** What a level shows, the next one shows too: for every result that shows something of a message. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WarningKind } from '../../../src/core/content.ts'
import type { Allowance } from '../../../src/core/decision/decide.ts'
import { redact } from '../../../src/core/decision/redact.ts'
import { LEVELS, type Level } from '../../../src/core/policy/level.ts'
import type {
  BrowsedMessage,
  BrowsePage,
  FlagsChange,
  ListedMessage,
  MessageView,
  SearchPage,
} from '../../../src/core/results.ts'

const CASES = 100_000
const TIMEOUT = 120_000

const text = fc.constantFrom(undefined, '', 'secret', 'other secret')
const flags = fc.constantFrom<readonly string[]>([], ['\\Seen'], ['\\Flagged', 'x'])
const size = fc.nat(9)
const kinds: WarningKind[] = [
  'hidden_text_removed',
  'sender_suspicious',
  'reply_to_differs',
  'duplicate_header',
  'suspicious_link',
]
const warnings = fc.subarray(kinds).map((chosen) => chosen.map((kind) => ({ kind, count: 1 })))
const issues = fc.constantFrom([], [{ code: 'timeout', stage: 'read_body', message: 'secret', retryable: true }])

const view: fc.Arbitrary<MessageView> = fc.record({
  date: text,
  size,
  flags,
  from: text,
  to: text,
  cc: text,
  subject: text,
  messageId: text,
  header: fc.constantFrom([], [{ name: 'X', value: 'secret' }]),
  text,
  textTruncated: fc.boolean(),
  html: text,
  htmlTruncated: fc.boolean(),
  attachments: fc.constantFrom(
    [],
    [{ part: '2', filename: 'secret', type: 'x/y', size: 1, text: undefined, textTruncated: false }],
  ),
  warnings,
  issues,
})
const uid = fc.nat(4)
const listed = fc.record({ uid, date: text, size, flags, from: text, subject: text, snippet: text })
const browsed = fc.record({
  uid,
  size,
  flags,
  date: text,
  from: text,
  to: text,
  subject: text,
  hasAttachment: fc.boolean(),
})
const change: fc.Arbitrary<FlagsChange> = fc.record({
  flags: fc.option(flags, { nil: undefined }),
  added: fc.boolean(),
  removed: fc.boolean(),
  issues: fc.constant([]),
})

const step = fc.nat(LEVELS.length - 2).map((at) => [LEVELS[at], LEVELS[at + 1]] as [Level, Level])
const at = (level: Level): Allowance => ({ kind: 'allow', reason: 'rule_matched', level })

function saysNothing(value: unknown): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0)
}

/** Every field of the one is as in the other, part of it, or says nothing. */
function expectSubset(fewer: object, more: object): void {
  for (const [name, value] of Object.entries(fewer)) {
    const other: unknown = (more as Record<string, unknown>)[name]
    if (saysNothing(value)) continue
    if (Array.isArray(value) && Array.isArray(other)) expect(other, name).toEqual(expect.arrayContaining(value))
    else expect(value, name).toEqual(other)
  }
}

function check<T>(arbitrary: fc.Arbitrary<T>, property: (value: T, lower: Level, higher: Level) => void): void {
  let cases = 0
  fc.assert(
    fc.property(arbitrary, step, (value, [lower, higher]) => {
      property(value, lower, higher)
      cases += 1
    }),
    { numRuns: CASES },
  )
  expect(cases).toBeGreaterThanOrEqual(CASES)
}

test('read_message: each level is a subset of the next', { timeout: TIMEOUT }, () => {
  check(view, (value, lower, higher) => {
    const fewer = redact('read_message', value, at(lower))
    const more = redact('read_message', value, at(higher))
    expectSubset(fewer.result, more.result)
    expect(fewer.redacted).toEqual(expect.arrayContaining([...more.redacted]))
    expectSubset(more.result, value)
    for (const name of fewer.redacted) expect(saysNothing(fewer.result[name as keyof MessageView])).toBe(true)
  })
})

test('flag changes: each level is a subset of the next', { timeout: TIMEOUT }, () => {
  check(change, (value, lower, higher) => {
    const kind = value.added ? 'update_flags' : value.removed ? 'mark_seen' : 'tag_message'
    expectSubset(redact(kind, value, at(lower)).result, redact(kind, value, at(higher)).result)
    expectSubset(redact(kind, value, at(higher)).result, value)
  })
})

/** Rows without what tells their levels apart. */
function rowsOf(page: { readonly messages: readonly { readonly level: Level }[] }): object[] {
  return page.messages.map(({ level: _level, ...row }) => row)
}

function expectRows(fewer: readonly object[], more: readonly object[]): void {
  if (fewer.length === 0) return
  expect(more).toHaveLength(fewer.length)
  for (const [i, row] of fewer.entries()) expectSubset(row, more[i] ?? {})
}

test('search: each level is a subset of the next', { timeout: TIMEOUT }, () => {
  check(fc.array(listed, { maxLength: 2 }), (rows, lower, higher) => {
    const page = (level: Level): SearchPage => {
      const messages = rows.map((row): ListedMessage => ({ ...row, level }))
      return {
        uidvalidity: 1,
        total: 2,
        filteredOut: 0,
        attempted: 2,
        messages,
        issues: [],
        nextCursor: undefined,
        resendCriteria: false,
      }
    }
    const [fewer, more] = [lower, higher].map((level) => redact('search', page(level), at('FULL')).result)
    expectRows(rowsOf(fewer as SearchPage), rowsOf(more as SearchPage))
    if (lower === 'NONE') expect(more?.messages).toEqual([])
  })
})

test('browse: each level is a subset of the next, row by row', { timeout: TIMEOUT }, () => {
  check(fc.tuple(browsed, browsed, fc.constantFrom(...LEVELS)), ([one, other, its], lower, higher) => {
    const page = (level: Level): BrowsePage => {
      const messages: BrowsedMessage[] = [
        { ...one, level },
        { ...other, uid: 9, level: its },
      ]
      const identities = messages.map((row) => ({ uid: row.uid, gmMsgid: `${row.uid}`, allMailUid: undefined }))
      return { uidvalidity: 1, total: 2, visible: 2, more: false, messages, identities }
    }
    const fewer = redact('browse', page(lower), at('FULL')).result
    const more = redact('browse', page(higher), at('FULL')).result
    const row = (shown: BrowsePage): object[] =>
      rowsOf({ messages: shown.messages.filter((message) => message.uid !== 9) })
    expectRows(row(fewer), row(more))
    expect(more.identities).toEqual(expect.arrayContaining([...(fewer.identities ?? [])]))
    expect(fewer.identities?.map((identity) => identity.uid)).toEqual(fewer.messages.map((message) => message.uid))
    expect(fewer.messages.filter((message) => message.uid === 9)).toEqual(
      more.messages.filter((message) => message.uid === 9),
    )
  })
})
