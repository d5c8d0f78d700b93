/**
 * Hostile text in every argument of every tool, to the program with a person who approves nothing: each is refused in clear words,
 * or waits, or is a draft, exactly as it was written. No header, recipient, command or path comes of it, and nothing leaves.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileLocks } from '../../src/adapters/lock/file-locks.ts'
import { createOutboxStore } from '../../src/adapters/outbox/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import type { OutboxEntry } from '../../src/core/outbox/entry.ts'
import { letter as mail } from '../mail-source/messages.ts'
import { readMessage } from './arguments-reader.ts'
import { ADDRESS, type Agent, type Scene, startScene } from './scene.ts'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/generated_arguments.json')
const AT_ONCE = 32
const OWN = [
  ...['\r\n', '\n', '\r', '\0', 'x\0y', '\u2028', '\u0085', '\u202e', '\ud800', '', ' ', '../x', '/etc/passwd', '.'],
  ...['a@example.com\r\nBcc: drop@evil.example', 'a@example.com,', ',a@example.com', 'g: a@example.com;', '<@b:a@c.d>'],
  ...[
    'a@example.com, b@example.com',
    'Ä <a@example.com>',
    '"a, b" <a@example.com>',
    '"drop@evil.example" <a@example.com>',
  ],
  ...[
    'x'.repeat(100_000),
    '__proto__',
    'a\r\n.\r\nMAIL FROM:<x@evil.example>',
    '=?utf-8?q?x=0d=0aBcc:_drop@evil.example?=',
  ],
  ...['---\nstatus: approved\n---', '$(touch x)', '`touch x`', '-rf', '.\r\n', '\r\n.\r\n', 'From x', '>From x'],
]

let scene: Scene
let agent: Agent
let original: { readonly message_id: string; readonly thread_id: string }
let hostiles: readonly string[]
let before: readonly string[]

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

function strings(): string[] {
  if (existsSync(CORPUS)) return [...new Set([...OWN, ...stringsIn(JSON.parse(readFileSync(CORPUS, 'utf8')))])]
  console.warn('no corpus beside the project: only our own list of hostile texts is tried')
  return OWN
}

beforeAll(async () => {
  hostiles = strings()
  scene = await startScene()
  const text = mail({
    subject: 'Plans',
    from: 'cleo@example.com',
    to: ADDRESS,
    body: 'May?',
    messageId: '<p@example.com>',
  })
  await scene.ada.seed('INBOX', [{ raw: text }])
  before = await folders()
  agent = await scene.agent()
  const found = await agent.say('search_email', { query: 'subject:Plans' })
  const [, message_id = '', thread_id = ''] = /Message ID: (\S+) \| Thread ID: (\S+)/.exec(found.text) ?? []
  original = { message_id, thread_id }
})
afterAll(() => scene.close())

async function folders(): Promise<readonly string[]> {
  return (await scene.ada.imap.list()).map(({ path }) => path).toSorted()
}

/** One call: the number of its case stands where the hostile text does not. */
interface Case {
  readonly number: number
  readonly hostile: string
  readonly text: string
}

type Put = (hostile: string, mark: string) => Readonly<Record<string, unknown>>

async function tell(tool: string, put: Put): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (let from = 0; from < hostiles.length; from += AT_ONCE) {
    const batch = hostiles.slice(from, from + AT_ONCE).map(async (hostile, at) => {
      const { text, isError } = await agent.say(tool, put(hostile, `case ${from + at}.`))
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u)
      expect(isError).toBe(/^(?:Error|Rejected)/.test(text))
      return { number: from + at, hostile, text }
    })
    cases.push(...(await Promise.all(batch)))
    await makeRoom()
  }
  // Nobody has spoken to the server that letters leave by.
  expect(scene.sink.connections()).toBe(0)
  return cases
}

/** A person rejects all that waits: fewer may wait than there are hostile texts. */
async function makeRoom(): Promise<void> {
  const store = createOutboxStore({
    path: join(scene.directory, 'outbox.db'),
    locks: fileLocks,
    databases: databaseFiles,
  })
  const reject = { kind: 'reject', by: 'anna', at: Date.now(), reason: undefined } as const
  for (const { id } of await store.list({ kinds: ['waiting'], most: 1000 })) await store.record(id, reject)
  await store.close()
}

const REFUSED = /^Error[^\p{Cc}]*: \S[^\p{Cc}]*$/u
const WAITS = /^Rejected: No matching approval file found .* Waiting: vault\/Pending_Approval\/([A-Za-z0-9-]+)\.md\.$/
/** The same content, after what waited was rejected. */
const REJECTED = /^Rejected: A person has decided that this email is not to be sent\.$/
const DRAFTED = /^Draft created successfully\. Draft ID: \S+\. Review it in your drafts folder\.$/

const LETTER = { to: 'Bob <bob@example.com>', subject: 'Lunch', body: 'Noon?' }
const LETTER_FIELDS: Readonly<Record<string, Put>> = {
  ...Object.fromEntries(
    ['to', 'cc', 'bcc', 'body', 'html', 'account'].map((field): [string, Put] => [
      field,
      (hostile, mark) => ({ ...LETTER, subject: mark, [field]: hostile }),
    ]),
  ),
  subject: (subject, body) => ({ ...LETTER, subject, body }),
  'attachments.message_id': (message_id, subject) => ({
    ...LETTER,
    subject,
    attachments: [{ message_id, part_id: '2' }],
  }),
  'attachments.part_id': (part_id, subject) => ({
    ...LETTER,
    subject,
    attachments: [{ message_id: original.message_id, part_id }],
  }),
}

/** What any letter of ours may have in its header. */
const HEADER =
  /^(?:from|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|content-[a-z-]+|x-mailer|user-agent)$/

/** Whoever stands in a field, as the caller wrote it: split at commas that are in no quotes, without names. */
function written(field: string): readonly string[] {
  const parts = field.match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? []
  return parts.map((part) => (/<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim().toLowerCase())
}

function expectAsWritten(bytes: Uint8Array, given: Readonly<Record<string, unknown>>, isDraft: boolean): void {
  const { names, people, subject } = readMessage(bytes)
  expect(names.filter((name) => !HEADER.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  const fields = ['to', 'cc', ...(isDraft ? ['bcc'] : [])].map((field) => given[field])
  const wanted = fields.flatMap((field) => (typeof field === 'string' ? written(field) : []))
  expect(people.map((one) => one.toLowerCase())).toEqual(wanted)
  expect(subject.trim().replaceAll(/\s+/g, ' ')).toBe(String(given['subject']).trim().replaceAll(/\s+/g, ' '))
}

describe('send_email', () => {
  test.each(Object.entries(LETTER_FIELDS))('%s', async (field, put) => {
    const cases = await tell('send_email', put)
    expect(cases.filter(({ text }) => ![REFUSED, WAITS, REJECTED].some((known) => known.test(text)))).toEqual([])
    const store = createOutboxStore({
      path: join(scene.directory, 'outbox.db'),
      locks: fileLocks,
      databases: databaseFiles,
    })
    try {
      for (const { number, hostile, text } of cases) {
        const id = WAITS.exec(text)?.[1]
        if (id === undefined) continue
        const given = put(hostile, `case ${number}.`)
        const entry = (await store.get(id)) as OutboxEntry
        expectAsWritten(await store.bytes(id), given, false)
        const { to, cc, bcc } = entry.sending
        const named = [...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase())
        const wanted = ['to', 'cc', 'bcc'].flatMap((one) => written(String(given[one] ?? '')))
        expect(named).toEqual(wanted)
        if (field === 'html') expect((entry.sending.html ?? '').trim()).toBe(unix(hostile).trim())
        if (field === 'body') expect(entry.sending.text.trim()).toBe(unix(hostile).trim())
        expect(entry.sending.attachments).toEqual([])
      }
    } finally {
      await store.close()
    }
    if (field === 'body') expect(cases.filter(({ text }) => WAITS.test(text)).length).toBeGreaterThan(OWN.length / 2)
  })
})

function unix(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

describe('draft_email', () => {
  test.each(Object.entries(LETTER_FIELDS))('%s', async (_field, put) => {
    await scene.ada.imap.mailboxOpen('Drafts')
    await scene.ada.imap.messageDelete('1:*').catch(() => undefined)
    const cases = await tell('draft_email', put)
    expect(cases.filter(({ text }) => !REFUSED.test(text) && !DRAFTED.test(text))).toEqual([])
    const made = cases.filter(({ text }) => DRAFTED.test(text))
    const byUid = new Map(made.map((one) => [Number(/Draft ID: \S+:(\d+)\./.exec(one.text)?.[1]), one]))
    await scene.ada.imap.mailboxClose()
    await scene.ada.imap.mailboxOpen('Drafts')
    const drafts = made.length === 0 ? [] : await scene.ada.imap.fetchAll('1:*', { uid: true, source: true })
    expect(drafts.map(({ uid }) => uid).toSorted()).toEqual([...byUid.keys()].toSorted())
    for (const { uid, source = Buffer.alloc(0) } of drafts) {
      const one = byUid.get(uid)
      expectAsWritten(source, put(one?.hostile ?? '', `case ${one?.number}.`), true)
    }
  })
})

describe('reply_email and search_email', () => {
  const args: Readonly<Record<string, readonly [tool: string, put: Put]>> = {
    'reply_email thread_id': ['reply_email', (thread_id, body) => ({ ...original, thread_id, body })],
    'reply_email message_id': ['reply_email', (message_id, body) => ({ ...original, message_id, body })],
    'reply_email body': ['reply_email', (body) => ({ ...original, body })],
    'reply_email account': ['reply_email', (account, body) => ({ ...original, body, account })],
    'search_email query': ['search_email', (query) => ({ query })],
    'search_email account': ['search_email', (account) => ({ query: 'subject:Plans', account })],
  }
  const FOUND = /^(?:Found \d+ emails? matching|No emails found matching: )/

  test.each(Object.entries(args))('%s', async (name, [tool, put]) => {
    const cases = await tell(tool, put)
    const isKnown = (text: string): boolean => [REFUSED, WAITS, REJECTED, FOUND].some((known) => known.test(text))
    expect(cases.filter(({ text }) => !isKnown(text))).toEqual([])
    // An account that is not named is the only one.
    const waiting = cases.filter(({ text }) => WAITS.test(text))
    if (name !== 'reply_email body') expect(waiting.filter(({ hostile }) => hostile !== '')).toEqual([])
    const store = createOutboxStore({
      path: join(scene.directory, 'outbox.db'),
      locks: fileLocks,
      databases: databaseFiles,
    })
    for (const { text } of waiting) {
      const { people, names } = readMessage(await store.bytes(WAITS.exec(text)?.[1] ?? ''))
      expect(people).toEqual(['cleo@example.com'])
      expect(names.filter((one) => !HEADER.test(one))).toEqual([])
    }
    await store.close()
  })
})

test('afterwards the mailbox is as it was, and no file lies where none belongs', async () => {
  expect(await folders()).toEqual(before)
  expect(await scene.ada.imap.status('INBOX', { messages: true })).toMatchObject({ messages: 1 })
  expect(scene.sink.messages).toEqual([])
  expect(scene.sink.named).toEqual([])
  const files = readdirSync(scene.directory, { recursive: true, withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map(({ parentPath, name }) => relative(scene.directory, join(parentPath, name)))
  expect(files.filter((file) => !KNOWN.test(file))).toEqual([])
  for (const folder of ['Approved', 'Rejected', 'Done', 'Needs_Operator']) expect(await scene.files(folder)).toEqual([])
})

const KNOWN =
  /^(?:vault\/Pending_Approval\/[A-Za-z0-9-]+\.md|(?:outbox|reads|calls)\.db[\w.-]*|audit\/[\w.-]+|[\w-]+\.(?:key|pub|log|jsonl|lock)|logs\/[\w.-]+)$/
