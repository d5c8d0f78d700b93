/** What a level shows, the next one shows too: for every kind of result. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActionKind, ResultOf } from '../../../src/core/action.ts'
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
  threadId: text,
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

const STEPS = LEVELS.slice(1).map((higher, at) => [LEVELS[at] as Level, higher] as const)
const at = (level: Level): Allowance => ({ kind: 'allow', reason: 'rule_matched', level })

function saysNothing(value: unknown): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0)
}

/** Far cheaper than an assertion library, and called very often. */
function holds(condition: boolean, ...about: unknown[]): void {
  if (!condition) throw new Error(`does not hold for ${about.map((one) => JSON.stringify(one)).join(' and ')}`)
}

/** Results are cut, not rebuilt: what is shown is the same thing, or a part of the same list. */
function isPart(value: unknown, whole: unknown): boolean {
  if (saysNothing(value) || value === whole) return true
  return Array.isArray(value) && Array.isArray(whole) && value.every((one) => whole.includes(one))
}

/** Every field of the one is as in the other, part of it, or says nothing. */
function isSubset(fewer: object, more: object): boolean {
  return Object.entries(fewer).every(([name, value]) => isPart(value, (more as Record<string, unknown>)[name]))
}

/** Every step from a level to the next is a case. */
function check<T>(arbitrary: fc.Arbitrary<T>, property: (value: T, lower: Level, higher: Level) => void): void {
  let cases = 0
  fc.assert(
    fc.property(arbitrary, (value) => {
      for (const [lower, higher] of STEPS) {
        property(value, lower, higher)
        cases += 1
      }
    }),
    { numRuns: Math.ceil(CASES / STEPS.length) },
  )
  expect(cases).toBeGreaterThanOrEqual(CASES)
}

test('read_message: each level is a subset of the next', { timeout: TIMEOUT }, () => {
  check(view, (value, lower, higher) => {
    const fewer = redact('read_message', value, at(lower))
    const more = redact('read_message', value, at(higher))
    holds(isSubset(fewer.result, more.result) && isSubset(more.result, value), fewer.result, more.result)
    holds(
      more.redacted.every((name) => fewer.redacted.includes(name)),
      fewer.redacted,
      more.redacted,
    )
    for (const name of fewer.redacted) holds(saysNothing(fewer.result[name as keyof MessageView]), name)
  })
})

test('flag changes: each level is a subset of the next', { timeout: TIMEOUT }, () => {
  check(change, (value, lower, higher) => {
    const kind = value.added ? 'update_flags' : value.removed ? 'mark_seen' : 'tag_message'
    const fewer = redact(kind, value, at(lower)).result
    const more = redact(kind, value, at(higher)).result
    holds(isSubset(fewer, more) && isSubset(more, value), fewer, more)
  })
})

/** Rows are the same in number, or there are none, and each is a subset; their own levels aside. */
function areRows(fewer: readonly { readonly level: Level }[], more: readonly { readonly level: Level }[]): boolean {
  if (fewer.length === 0) return true
  return fewer.length === more.length && fewer.every((row, i) => isSubset({ ...row, level: undefined }, more[i] ?? {}))
}

test('search: each level is a subset of the next', { timeout: TIMEOUT }, () => {
  check(fc.array(listed, { minLength: 1, maxLength: 2 }), (rows, lower, higher) => {
    const shown = (level: Level): readonly ListedMessage[] => {
      const messages = rows.map((row): ListedMessage => ({ ...row, level }))
      return redact('search', { ...PAGE, messages }, at('FULL')).result.messages
    }
    holds(areRows(shown(lower), shown(higher)), shown(lower), shown(higher))
    holds(shown(lower).length === (lower === 'NONE' || lower === 'COUNT' ? 0 : rows.length), lower)
  })
})

const PAGE: SearchPage = {
  uidvalidity: 1,
  total: 2,
  filteredOut: 0,
  attempted: 2,
  messages: [],
  issues: [],
  nextCursor: undefined,
  resendCriteria: false,
}

test('browse: each level is a subset of the next, and no row has to do with another', { timeout: TIMEOUT }, () => {
  check(fc.tuple(browsed, browsed, fc.constantFrom(...LEVELS)), ([one, other, its], lower, higher) => {
    const shown = (level: Level): BrowsePage => {
      const messages: BrowsedMessage[] = [
        { ...one, level },
        { ...other, uid: 9, level: its },
      ]
      const identities = messages.map(({ uid }) => ({ uid, gmMsgid: `${uid}`, allMailUid: undefined }))
      return redact('browse', { uidvalidity: 1, total: 2, visible: 2, more: false, messages, identities }, at('FULL'))
        .result
    }
    const fewer = shown(lower)
    const more = shown(higher)
    const first = ({ messages }: BrowsePage): BrowsedMessage[] => messages.filter(({ uid }) => uid !== 9)
    const second = ({ messages }: BrowsePage): BrowsedMessage[] => messages.filter(({ uid }) => uid === 9)
    holds(areRows(first(fewer), first(more)), fewer, more)
    holds(JSON.stringify(second(fewer)) === JSON.stringify(second(more)), fewer, more)
    for (const page of [fewer, more]) {
      holds(`${page.identities?.map(({ uid }) => uid)}` === `${page.messages.map(({ uid }) => uid)}`, page)
    }
  })
})

const ref = { account: 'a', mailbox: 'secret', uidvalidity: 1, uid: 2 }
const row = { uid: 1, size: 1, flags: ['\\Seen'], date: 'secret', from: 'secret', subject: 'secret' }
const flagsChange = { flags: ['\\Seen'], added: true, removed: true, issues: [] }
const relocation = {
  mechanism: 'native_move',
  changed: true,
  attempted: 1,
  succeeded: 1,
  created: ref,
  issues: [],
} as const
const account = { id: 'a', host: 'h', port: 1, secure: true, provider: 'local', state: 'active' } as const
const coverage = { source: 'live', complete: true, notes: [] } as const

/** One of each kind, with something in every field; rows at the level that is asked. */
const RESULTS: { readonly [K in ActionKind]: (level: Level) => ResultOf<K> } = {
  list_accounts: () => ({ accounts: [account], hidden: 1 }),
  verify_account: () => ({ account, capabilities: ['IDLE'], latencyMs: 1 }),
  list_mailboxes: () => ({
    mailboxes: [{ name: 'm', delimiter: '/', role: undefined, selectable: true, attributes: [] }],
    total: 1,
    nextCursor: undefined,
  }),
  list_folders: () => ({ folders: [{ path: 'p', count: 1 }], hidden: 1 }),
  list_labels: () => ({ labels: [{ name: 'l', flags: [], separator: '/' }], hidden: 1 }),
  folder_stats: () => ({ visible: 1, hidden: 1, defaultLevel: 'FULL', byLevel: { FULL: 1 } }),
  search: (level) => ({ ...PAGE, messages: [{ ...row, level, snippet: 'secret' }] }),
  browse: (level) => ({
    ...{ uidvalidity: 1, total: 1, visible: 1, more: false, coverage },
    messages: [{ ...row, level, to: 'secret', hasAttachment: true }],
    identities: [{ uid: 1, gmMsgid: '1', allMailUid: 1 }],
  }),
  find_mail: (level) => ({
    ...{ total: 1, more: false, coverage },
    messages: [{ ...row, level, snippet: 'secret', ref, threadId: 'secret', nativeId: 'secret' }],
  }),
  read_message: () => ({
    ...{ size: 1, flags: ['\\Seen'], date: 'secret', from: 'secret', subject: 'secret' },
    ...{ to: 'secret', cc: 'secret', messageId: 'secret', text: 'secret', html: 'secret', threadId: 'secret' },
    ...{ textTruncated: true, htmlTruncated: true, header: [{ name: 'X', value: 'secret' }], issues: [] },
    attachments: [{ part: '2', filename: 'secret', type: 'x/y', size: 1, text: 'secret', textTruncated: false }],
    warnings: kinds.map((kind) => ({ kind, count: 1 })),
  }),
  read_raw: () => ({ size: 1, bytes: Uint8Array.of(1) }),
  read_attachment: () => ({
    ...{
      part: '2',
      type: 'x/y',
      filename: 'secret',
      size: 1,
      digest: 'secret',
      bytes: Uint8Array.of(1),
      savedTo: 'secret',
    },
    ...{ text: 'secret', textTruncated: true, warnings: [{ kind: 'suspicious_link', count: 1 }] },
    image: { width: 1, height: 1 },
  }),
  update_flags: () => flagsChange,
  mark_seen: () => flagsChange,
  tag_message: () => flagsChange,
  copy_message: () => relocation,
  move_message: () => relocation,
  mark_many: (level) => ({
    uidvalidity: 1,
    endings: [
      { uid: 1, level, change: { flags: ['secret'], added: true, removed: false, issues: [] } },
      { uid: 2, level: 'NONE', denied: 'visibility_would_rise' },
    ],
  }),
  relocate_many: () => ({
    uidvalidity: 1,
    endings: [
      { uid: 1, relocation },
      { uid: 2, denied: 'visibility_would_rise' },
    ],
  }),
  delete_message: () => relocation,
  create_draft: () => ({ uid: 1, uidvalidity: 1 }),
  compose_draft: () => ({ ref: { ...ref, mailbox: 'Drafts' }, to: ['x'], cc: [], subject: 'x' }),
  send_mail: () => ({ kind: 'held_back' }),
  change_labels: () => ({ added: ['x'], removed: [], folders: [], labels: ['secret'], issues: [] }),
  describe_policy: () => ({ callerId: 'c', accounts: [], hiddenAccounts: 1 }),
  identify_caller: () => ({ callerId: 'c' }),
  transaction_status: () => ({ state: 'unknown' }),
}

/** At every depth: the same, a part of the same, or nothing. A level that a row tells of itself is not part of the message. */
function isWithin(fewer: unknown, more: unknown): boolean {
  if (saysNothing(fewer) || (ArrayBuffer.isView(fewer) && fewer.byteLength === 0)) return true
  if (Array.isArray(fewer) && Array.isArray(more)) {
    return fewer.every((one) => more.some((other) => isWithin(one, other)))
  }
  if (typeof fewer !== 'object' || fewer === null || ArrayBuffer.isView(fewer)) return Object.is(fewer, more)
  const whole = (more ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(fewer).every(([name, value]) => name === 'level' || isWithin(value, whole[name]))
}

test.each(Object.keys(RESULTS) as ActionKind[])('%s: each level is within the next, and FULL is all of it', (kind) => {
  const made = (level: Level): unknown => RESULTS[kind](level)
  const shown = (level: Level): unknown =>
    redact(kind, RESULTS[kind](level) as never, { ...at(level), targetLevel: level }).result
  // Those that are about mail, at a level that shows none of it.
  const secrets = JSON.stringify(shown('NONE')).match(/secret|"created"/g) ?? []
  expect(secrets).toEqual([])
  for (const [lower, higher] of STEPS) {
    const [fewer, more] = [shown(lower), shown(higher)]
    expect(isWithin(fewer, more), JSON.stringify([lower, fewer, higher, more])).toBe(true)
  }
  expect(shown('FULL')).toEqual(made('FULL'))
})
