import { expect, test } from 'vitest'
import { LEVELS, type Level } from '../policy/level.ts'
import type {
  AttachmentContent,
  BrowsedMessage,
  BrowsePage,
  FlagsChange,
  MessageView,
  Relocation,
  SearchPage,
} from '../results.ts'
import type { Allowance } from './decide.ts'
import { fieldsAbove, redact } from './redact.ts'

const at = (level: Level, targetLevel?: Level): Allowance => ({
  kind: 'allow',
  reason: 'folder_default_applied',
  level,
  ...(targetLevel && { targetLevel }),
})

const view: MessageView = {
  threadId: 't',
  date: '2026-01-01T00:00:00Z',
  size: 10,
  flags: ['\\Seen'],
  from: 'a',
  to: 'b',
  cc: 'c',
  subject: 's',
  messageId: '<m@x>',
  header: [{ name: 'X', value: 'y' }],
  text: 'body',
  textTruncated: true,
  html: '<p>body</p>',
  htmlTruncated: true,
  uncertain: { text: 'maybe' },
  attachments: [
    {
      part: '2',
      filename: 'f',
      type: 'text/plain',
      size: 1,
      text: 't',
      textTruncated: false,
      uncertain: { text: 'u' },
    },
  ],
  warnings: [
    { kind: 'hidden_text_removed', count: 1 },
    { kind: 'reply_to_differs', count: 1 },
    { kind: 'sender_suspicious', count: 1 },
  ],
  issues: [{ code: 'timeout', stage: 'read_body', message: 'm', retryable: true }],
}

const attachmentContent: AttachmentContent = {
  part: '2',
  type: 'text/html',
  filename: 'f',
  size: 1,
  digest: 'd',
  bytes: new Uint8Array([1]),
  savedTo: undefined,
  text: 't',
  uncertain: { text: 'u' },
  warnings: [{ kind: 'uncertain_text', count: 1 }],
}

function shown(level: Level): string[] {
  const { result } = redact('read_message', view, at(level))
  return Object.entries(result)
    .filter(([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0))
    .map(([name]) => name)
}

test('each level shows all that the one below it shows', () => {
  for (const [i, level] of LEVELS.entries()) {
    const below = LEVELS[i - 1]
    if (below !== undefined) expect(shown(level)).toEqual(expect.arrayContaining(shown(below)))
  }
  expect(shown('NONE')).toEqual([])
  expect(shown('FULL')).toEqual(Object.keys(view))
})

test('uncertain text is shown from exactly the level that shows the text it belongs to', () => {
  for (const level of LEVELS) {
    const { text, uncertain, attachments } = redact('read_message', view, at(level)).result
    expect(uncertain === undefined).toBe(text === undefined)
    expect(attachments.length > 0).toBe(level === 'FULL')
    const attachment = redact('read_attachment', attachmentContent, at(level)).result
    expect(attachment.uncertain === undefined).toBe(attachment.text === undefined)
  }
})

test('a caller that wants no uncertain text is told only how much there is', () => {
  const { uncertain, attachments, warnings, text } = redact('read_message', view, at('FULL'), 'omit').result
  expect([uncertain, attachments[0]?.uncertain, text, attachments[0]?.text]).toEqual([
    undefined,
    undefined,
    'body',
    't',
  ])
  expect(warnings).toEqual(view.warnings)
  const attachment = redact('read_attachment', attachmentContent, at('FULL'), 'omit').result
  expect([attachment.uncertain, attachment.warnings]).toEqual([undefined, attachmentContent.warnings])
})

test.each<[Level, string[]]>([
  ['FULL', []],
  ['BODY', ['attachments']],
  ['HEADERS', ['text', 'html', 'attachments']],
  ['ENVELOPE', ['header', 'text', 'html', 'attachments']],
  ['METADATA', ['date', 'from', 'to', 'cc', 'subject', 'messageId', 'header', 'text', 'html', 'attachments']],
])('at %s these fields are named as redacted: %j', (level, redacted) => {
  expect(redact('read_message', view, at(level)).redacted).toEqual(redacted)
})

test.each<[Level, string[]]>([
  ['FULL', ['hidden_text_removed', 'reply_to_differs', 'sender_suspicious']],
  ['BODY', ['hidden_text_removed', 'reply_to_differs', 'sender_suspicious']],
  ['HEADERS', ['reply_to_differs', 'sender_suspicious']],
  ['ENVELOPE', ['sender_suspicious']],
  ['METADATA', []],
])('at %s the warnings are those about what is shown: %j', (level, kinds) => {
  expect(redact('read_message', view, at(level)).result.warnings.map(({ kind }) => kind)).toEqual(kinds)
})

test('below BODY nothing tells of the body, not even how long it is or that it could not be read', () => {
  const { result } = redact('read_message', view, at('HEADERS'))
  expect(result).toMatchObject({ text: undefined, html: undefined, textTruncated: false, htmlTruncated: false })
  expect(result.issues).toEqual([])
})

const listed = (level: Level) => ({
  level,
  uid: 1,
  date: 'secret',
  size: 1,
  flags: [],
  from: 'secret',
  subject: 'secret',
  snippet: 'secret',
})

function searchPage(...levels: Level[]): SearchPage {
  return {
    uidvalidity: 1,
    total: levels.length,
    filteredOut: 0,
    attempted: levels.length,
    messages: levels.map(listed),
    issues: [],
    nextCursor: undefined,
    resendCriteria: false,
  }
}

test('nothing of a redacted listing remains', () => {
  const { result, redacted } = redact('search', searchPage('METADATA'), at('FULL'))
  expect(JSON.stringify(result)).not.toContain('secret')
  expect(redacted).toEqual(['date', 'from', 'subject', 'snippet'])
})

test('each row is cut to its own level, whatever the allowance says', () => {
  const { result, redacted } = redact('search', searchPage('FULL', 'ENVELOPE', 'METADATA'), at('FULL'))
  expect(result.messages.map(({ from, snippet }) => [from, snippet])).toEqual([
    ['secret', 'secret'],
    ['secret', undefined],
    [undefined, undefined],
  ])
  expect(redacted).toEqual(['date', 'from', 'subject', 'snippet'])
})

test.each<Level>(['NONE', 'COUNT', undefined as unknown as Level])('a row at %s is no row', (level) => {
  expect(redact('search', searchPage(level, 'FULL'), at('FULL')).result.messages).toHaveLength(1)
  const row = (uid: number, its: Level) => ({ uid, level: its, hasAttachment: true }) as BrowsedMessage
  const identities = [1, 2].map((uid) => ({ uid, gmMsgid: `${uid}`, allMailUid: undefined }))
  const page: BrowsePage = {
    uidvalidity: 1,
    total: 2,
    visible: 1,
    more: false,
    messages: [row(1, level), row(2, 'BODY')],
    identities,
  }
  const { result, redacted } = redact('browse', page, at('FULL'))
  expect(result.messages).toEqual([{ uid: 2, level: 'BODY', hasAttachment: undefined }])
  expect(result.identities).toEqual([identities[1]])
  expect(redacted).toEqual(['hasAttachment'])
})

test.each<[Level, readonly string[] | undefined]>([
  ['NONE', undefined],
  ['COUNT', undefined],
  ['METADATA', ['\\Seen']],
])('whoever sees %s of a message gets its flags as %j', (level, flags) => {
  const change: FlagsChange = { flags: ['\\Seen'], added: true, removed: false, issues: [] }
  for (const kind of ['update_flags', 'mark_seen', 'tag_message'] as const) {
    expect(redact(kind, change, at(level)).result).toEqual({ ...change, flags })
  }
})

test.each<[Level | undefined, boolean]>([
  [undefined, false],
  ['NONE', false],
  ['COUNT', false],
  ['METADATA', true],
  ['FULL', true],
])('a target that shows %s tells where the message is: %s', (targetLevel, told) => {
  const created = { account: 'a', mailbox: 'b', uidvalidity: 1, uid: 2 }
  const relocation: Relocation = {
    mechanism: 'native_copy',
    changed: true,
    attempted: 1,
    succeeded: 1,
    created,
    issues: [],
  }
  for (const kind of ['copy_message', 'move_message'] as const) {
    const { result, redacted } = redact(kind, relocation, at('FULL', targetLevel))
    expect(result.created).toEqual(told ? created : undefined)
    expect(redacted).toEqual(told ? [] : ['created'])
  }
})

test('what lies above a level', () => {
  expect(fieldsAbove('FULL')).toEqual([])
  expect(fieldsAbove('BODY')).toEqual(['hasAttachment', 'attachments'])
  expect(fieldsAbove('NONE')).toHaveLength(14)
})
