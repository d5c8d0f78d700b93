/** What a client of the `outbox` set meets before anything is looked for: bad input, told in words, reaches no gate. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Action, ActionKind } from '../../src/core/action.ts'
import type { Outcome } from '../../src/core/call/outcome.ts'
import { strictAddress } from '../../src/core/compose/strict-address.ts'
import { Failure } from '../../src/core/failure.ts'
import type { Call, Gate } from '../../src/engine/gate/gate.ts'
import { makeServer } from '../../src/surfaces/mcp/server.ts'
import { outboxSet } from '../../src/surfaces/tools/outbox/set.ts'
import { caller, fakeParts } from '../mcp/fake-set.ts'

class WatchedGate implements Gate {
  readonly calls: Call<ActionKind>[] = []

  async run<K extends ActionKind>(call: Call<K>): Promise<Outcome<K>> {
    this.calls.push(call as unknown as Call<ActionKind>)
    const timing = { nowUtc: '2026-01-01T00:00:00.000Z', durationMs: 1 }
    const failure = new Failure('unavailable', 'the server cannot be reached')
    return { kind: 'failed', failure, allowance: undefined, timing }
  }

  async refuse(): Promise<void> {}
}

const gate = new WatchedGate()
let client: Client

beforeAll(async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await makeServer(fakeParts(gate), { caller, sets: [outboxSet] }, 'legacy').connect(theirs)
  client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
})
afterAll(() => client.close())
beforeEach(() => {
  gate.calls.length = 0
})

async function told(name: string, args: object): Promise<{ text: string; isError: boolean | undefined }> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: { ...args } })
  expect([content.length, content[0]?.type]).toEqual([1, 'text'])
  expect(structuredContent).toMatchObject({ status: expect.any(String) })
  return { text: content[0]?.type === 'text' ? content[0].text : '', isError }
}

const LETTER = { to: 'john@example.com', subject: 'Hello', body: 'Hi' }
const REPLY = { thread_id: '18d5a0b1c2', message_id: '18d5a0b1c3', body: 'Hi' }

test.each<[tool: string, args: object, text: string]>([
  ['search_email', {}, 'Error searching emails: query is required'],
  ['search_email', { query: '' }, 'Error searching emails: query must not be empty'],
  [
    'search_email',
    { query: 'a', max_results: 51 },
    'Error searching emails: max_results must be between 1 and 50; got 51',
  ],
  [
    'search_email',
    { query: 'a', max_results: 0 },
    'Error searching emails: max_results must be between 1 and 50; got 0',
  ],
  ['search_email', { query: 'a', limit: 3 }, 'Error searching emails: unknown argument "limit"'],
  ['send_email', { ...LETTER, to: 'not-an-email' }, 'Error: Invalid email address format: not-an-email'],
  ['send_email', { ...LETTER, to: '' }, 'Error: Invalid email address format: (empty)'],
  ['draft_email', { ...LETTER, to: 'not-an-email' }, 'Error: Invalid email address format: not-an-email'],
  ['send_email', { ...LETTER, cc: 'x@example.com, nobody' }, 'Error: Invalid email address format: nobody'],
  ['send_email', { ...LETTER, bcc: 'x@@example.com' }, 'Error: Invalid email address format: x@@example.com'],
  [
    'send_email',
    { ...LETTER, subject: 'a\r\nBcc: x@example.com' },
    'Error sending email: subject must not contain control characters',
  ],
  ['draft_email', { ...LETTER, body: 'a\0b' }, 'Error creating draft: body must be well-formed text without NUL'],
  [
    'send_email',
    { ...LETTER, attachments: [{ message_id: '/etc/passwd', part_id: '1' }] },
    'Error sending email: message_id must be an ID that search_email gave',
  ],
  [
    'send_email',
    { ...LETTER, attachments: [{ path: '/etc/passwd' }] },
    'Error sending email: attachments[0].message_id is required',
  ],
  ['reply_email', { ...REPLY, thread_id: undefined }, 'Error replying to thread: thread_id is required'],
  [
    'reply_email',
    { ...REPLY, message_id: 'x y' },
    'Error replying to thread: message_id must be an ID that search_email gave',
  ],
])('%s %j', async (tool, args, text) => {
  expect(await told(tool, args)).toEqual({ text, isError: true })
  expect(gate.calls).toEqual([])
})

test('what the gate says is told in words, and a failure is marked as one', async () => {
  expect(await told('send_email', LETTER)).toEqual({
    text: 'Error sending email: the server cannot be reached',
    isError: true,
  })
  expect(gate.calls).toMatchObject([{ tool: 'send_email', folders: 'places', soleAccount: true }])
  expect(gate.calls[0]).not.toHaveProperty('limits')
  expect(gate.calls[0]).not.toHaveProperty('ask')
})

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/generated_arguments.json')
const OWN = [
  ...['\r\n', '\n', '\r', '\0', 'x\0y', '\u2028', '\u0085', '\u202e', '\ud800', '', ' ', '../x', '/etc/passwd', '.'],
  ...['a@example.com\r\nBcc: drop@evil.example', 'a@example.com,', ',a@example.com', 'g: a@example.com;', '<@b:a@c.d>'],
  ...['x'.repeat(100_000), '__proto__', 'a\r\n.\r\nMAIL FROM:<x@evil.example>', 'imap:default:INBOX\r\nA1 NOOP:1:1'],
]

function strings(): string[] {
  if (!existsSync(CORPUS)) {
    console.warn('no corpus beside the project: only our own list of hostile texts is tried')
    return OWN
  }
  return [...new Set([...OWN, ...stringsIn(JSON.parse(readFileSync(CORPUS, 'utf8')))])]
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Each string argument of each tool, by how it is put there. */
const FIELDS: [tool: string, field: string, put: (hostile: string) => object][] = [
  ['search_email', 'query', (query) => ({ query })],
  ['search_email', 'account', (account) => ({ query: 'a', account })],
  ...['draft_email', 'send_email'].flatMap((tool): typeof FIELDS => [
    ...['to', 'cc', 'bcc', 'subject', 'body', 'html', 'account'].map((field): (typeof FIELDS)[number] => [
      tool,
      field,
      (hostile) => ({ ...LETTER, [field]: hostile }),
    ]),
    [tool, 'message_id', (message_id) => ({ ...LETTER, attachments: [{ message_id, part_id: '2' }] })],
    [tool, 'part_id', (part_id) => ({ ...LETTER, attachments: [{ message_id: 'imap:work:INBOX:5:7', part_id }] })],
  ]),
  ...['thread_id', 'message_id', 'body', 'account'].map((field): (typeof FIELDS)[number] => [
    'reply_email',
    field,
    (hostile) => ({ ...REPLY, [field]: hostile }),
  ]),
]

/** A thing that reaches a header, a command or a name is one line; each address is one. */
function expectHarmless(action: Action): void {
  const letter = 'letter' in action ? action.letter : undefined
  for (const address of [...(letter?.to ?? []), ...(letter?.cc ?? []), ...(letter?.bcc ?? [])]) {
    expect(strictAddress(address, 'it').address).toMatch(/^[\x20-\x7e]+@[\x21-\x7e]+$/)
  }
  const { body: _body, html: _html, attachments = [], ...header } = letter ?? { body: '' }
  const answers = 'answers' in action ? action.answers : undefined
  const account = 'account' in action ? action.account : ''
  const query = 'query' in action ? action.query : ''
  for (const text of stringsIn([
    header,
    answers?.thread ?? '',
    account,
    query ?? '',
    attachments.map(({ part }) => part),
  ])) {
    expect(text).not.toMatch(/\p{Cc}/u)
    expect(text.isWellFormed()).toBe(true)
  }
}

test.each(FIELDS)('hostile text in %s %s is refused in words, or is harmless', async (tool, _field, put) => {
  for (const hostile of strings()) {
    gate.calls.length = 0
    const { text, isError } = await told(tool, put(hostile))
    expect(isError).toBe(true)
    expect(text).toMatch(/^Error[^\p{Cc}\u2028\u2029\u202e]+$/u)
    for (const { action } of gate.calls) expectHarmless(action)
  }
})
