/** What callers find: honest counts, pages, criteria, and the words for what is not there. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uidvalidityOf } from '../imap/harness.ts'
import { letter, type SeedMessage } from '../mail-source/messages.ts'
import { type Agent, type Folder, granting, LEVELS, type Stage, startStage, uniform } from './stage.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const now = Math.floor(Date.now() / 1000)

interface Mail extends SeedMessage {
  readonly name: string
}

const mail = (name: string, age: number, fields: Parameters<typeof letter>[0], flags: string[] = []): Mail => ({
  name,
  raw: letter(fields),
  flags,
  received: now - age,
})

const attached = [
  'From: clerk@office.example',
  'To: a@b.example',
  'Subject: the file',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'see file',
  '--b',
  'Content-Type: application/pdf; name=report.pdf',
  'Content-Disposition: attachment; filename=report.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0xLjQK',
  '--b--',
  '',
].join('\r\n')

const MIXED = 'Content-Type: multipart/mixed; boundary=b'
const attachedFile = (encoding: string, body: string): string =>
  `--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`
const wrapped = (text: string): string => btoa(text).replace(/.{76}/g, '$&\r\n')

const authenticated = ['Authentication-Results: mx.test.example; dmarc=pass header.from=bank.example']

/** Deliberately not in the order of their age. */
const MAIL: readonly Mail[] = [
  mail('old', 400 * DAY, { from: 'Old <old@office.example>', subject: 'Annual report' }),
  mail('new', HOUR, { from: 'New <new@office.example>', subject: 'fresh news' }),
  mail('unicode', 3 * DAY, { from: 'Zoë <zoe@münchen.example>', subject: 'Ärger mit STRASSE und 東京' }),
  mail('two', 5 * DAY, { from: 'a@office.example, b@other.example', subject: 'two of us' }),
  mail('star', 2 * DAY, { from: 'star@other.example', subject: 'remember' }, ['\\Flagged', '\\Seen']),
  mail('copied', 6 * DAY, { from: 'x@other.example', extra: ['Cc: Team <team@crew.example>'], subject: 'to the team' }),
  mail('big', 8 * DAY, { from: 'big@other.example', subject: 'heavy', body: 'words '.repeat(5000) }),
  { name: 'file', raw: attached, received: now - 9 * DAY },
  mail('bank', 10 * DAY, { from: 'service@bank.example', subject: 'statement', extra: authenticated }),
  mail('fake', 11 * DAY, { from: 'service@bank.example', subject: 'hurry' }),
  mail('dotted', 12 * DAY, { from: 'Eve <EVE@OFFICE.EXAMPLE.>', subject: '=?utf-8?Q?encoded_w=C3=B6rds?=' }),
]

/** Every message a step of its own from NONE to FULL. */
const STEPS: Folder = {
  path: 'Steps',
  mode: 'whitelist',
  default: 'NONE',
  rules: LEVELS.slice(1).map((level) => ({ match: { from_domain: `${level}.example` }, grant: level })),
}

let stage: Stage
let agent: Agent
let uids: readonly number[]

beforeAll(async () => {
  const all = [
    uniform('INBOX', 'FULL'),
    STEPS,
    { ...uniform('Capped', 'FULL'), rules: [{ match: { from_domain: 'office.example' }, cap: 'NONE' }] },
    granting('Whitelisted', 'office.example', 'FULL'),
    uniform('Empty', 'FULL'),
    uniform('Gone', 'FULL'),
    uniform('Sizes', 'FULL'),
    uniform('Blind', 'NONE'),
    uniform('Counted', 'COUNT'),
  ]
  stage = await startStage({
    users: ['ada', 'bob'],
    accounts: { ada: { user: 'ada', authserv_id: 'mx.test.example', auth: passwordAuth('ada') } },
    callers: { bot: {} },
    policies: { bot: { accounts: { ada: all } } },
  })
  uids = await stage.put('ada', 'INBOX', MAIL)
  for (const folder of ['Capped', 'Whitelisted', 'Blind', 'Counted', 'Secret']) await stage.put('ada', folder, MAIL)
  await stage.put('ada', 'Empty', [])
  const steps = LEVELS.flatMap((level, i) =>
    Array.from({ length: i + 1 }, () => letter({ from: `x@${level}.example` })),
  )
  await stage.put('ada', 'Steps', steps)
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

function passwordAuth(user: string): object {
  return { type: 'password', secret_ref: `secret://accounts/${user}/password` }
}

const names = (found: readonly number[]): string[] => found.map((uid) => MAIL[uids.indexOf(uid)]?.name ?? '?')
const find = async (criteria: object, folder = 'INBOX'): Promise<string[]> =>
  names((await agent.ask('search', { account: 'ada', folder, criteria, limit: 100 })).uids)

const NEWEST_FIRST = ['new', 'star', 'unicode', 'two', 'copied', 'big', 'file', 'bank', 'fake', 'dotted', 'old']

describe('criteria', () => {
  test.each(['body_contains', 'text'])('%s is answered with the argument that looks at bodies', async (key) => {
    const asked = { account: 'ada', folder: 'INBOX', criteria: { [key]: 'invoice' } }
    const { code, message } = await agent.refusal('search', asked)
    expect([code, message]).toEqual([-32602, expect.stringContaining('use the query argument')])
    expect(message).not.toContain('to_contains')
  })

  test.each<[object, string[]]>([
    [{}, NEWEST_FIRST],
    [{ from: 'old@office.example' }, ['old']],
    [{ from: 'OLD@Office.Example' }, ['old']],
    [{ from: 'eve@office.example' }, ['dotted']],
    [{ from: 'b@other.example' }, ['two']],
    [{ from_domain: 'office.example' }, ['new', 'two', 'file', 'dotted', 'old']],
    [{ from_domain: 'OFFICE.example.' }, ['new', 'two', 'file', 'dotted', 'old']],
    [{ from_domain: 'example' }, []],
    [{ from_domain: 'xn--mnchen-3ya.example' }, ['unicode']],
    [{ from_domain: 'MÜNCHEN.example' }, ['unicode']],
    [{ to: 'team@crew.example' }, ['copied']],
    [{ to: 'a@b.example' }, ['file']],
    [{ to_contains: 'CREW' }, ['copied']],
    [{ subject_contains: 'report' }, ['old']],
    [{ subject_contains: 'ÄRGER' }, ['unicode']],
    [{ subject_contains: 'A\u0308rger' }, ['unicode']],
    [{ subject_contains: '東京' }, ['unicode']],
    [{ subject_contains: 'WÖRDS' }, ['dotted']],
    [{ subject_contains: '%' }, []],
    [{ subject_contains: '"' }, []],
    [{ has_attachment: true }, ['file']],
    [{ has_attachment: true, from_domain: 'other.example' }, []],
    [{ newer_than: '2h' }, ['new']],
    [{ newer_than: '4d' }, ['new', 'star', 'unicode']],
    [{ older_than: '1y' }, ['old']],
    [{ older_than: '4d', newer_than: '7d' }, ['two', 'copied']],
    [{ older_than: '0s' }, NEWEST_FIRST],
    [{ size_gt: 10_000 }, ['big']],
    [{ size_gt: 0xffff_ffff }, []],
    [{ size_gt: Number.MAX_SAFE_INTEGER }, []],
    [{ size_lt: 0 }, []],
    [{ size_lt: Number.MAX_SAFE_INTEGER }, NEWEST_FIRST],
    [{ newer_than: '999999y' }, NEWEST_FIRST],
    [{ older_than: '999999y' }, []],
    [{ newer_than: '0s' }, []],
    [{ size_lt: 10_000, older_than: '9d', from_domain: 'bank.example' }, ['bank', 'fake']],
    [{ flagged: true }, ['star']],
    [{ flagged: false, newer_than: '4d' }, ['new', 'unicode']],
    [{ flagged: true, from_domain: 'office.example' }, []],
    [{ authenticated: true }, ['bank']],
    [{ authenticated: true, subject_contains: 'hurry' }, []],
  ])('%o', async (criteria, expected) => {
    expect(await find(criteria)).toEqual(expected)
    const rows = await agent.ask('list_messages', { account: 'ada', folder: 'INBOX', criteria, limit: 100 })
    expect(names(rows.messages.map(({ uid }) => uid))).toEqual(expected)
  })

  test.each([
    [{ unknown: 1 }],
    [{ from: 1 }],
    [{ from: 'no address' }],
    [{ from_domain: '*.example' }],
    [{ subject_contains: '' }],
    [{ subject_contains: 'a\r\nb' }],
    [{ has_attachment: 'yes' }],
    [{ newer_than: 5 }],
    [{ newer_than: 'soon' }],
    [{ size_gt: -1 }],
    [{ size_gt: '1' }],
    [{ authenticated: false }],
    [{ from: ['a@b.example'] }],
    ['text'],
  ])('%o is invalid', async (criteria) => {
    for (const tool of ['search', 'list_messages']) {
      expect(await agent.refusal(tool, { account: 'ada', folder: 'INBOX', criteria })).toMatchObject({ code: -32602 })
    }
  })
})

describe('counts', () => {
  test('by level they make the total, and so do visible and hidden', async () => {
    const stats = await agent.ask('folder_stats', { account: 'ada', folder: 'Steps' })
    const counts = { NONE: 1, COUNT: 2, METADATA: 3, ENVELOPE: 4, HEADERS: 5, BODY: 6, FULL: 7 }
    expect(stats).toMatchObject({
      visible_count: 27,
      hidden_count: 1,
      counts_by_level: counts,
      visibility_level: 'NONE',
    })
  })

  test('a search without criteria tells how much it does not show, and one with criteria finds only what can be read', async () => {
    const answer = await agent.ask('search', { account: 'ada', folder: 'Steps', limit: 4 })
    expect(answer).toMatchObject({ matched_total: 28, matched_visible: 25, filtered_out: 3, has_more: true })
    expect(answer.uids).toHaveLength(4)
    const some = { account: 'ada', folder: 'Steps', criteria: { from_domain: 'none.example' } }
    expect(await agent.ask('search', some)).toMatchObject({
      uids: [],
      matched_total: 0,
      matched_visible: 0,
      filtered_out: 0,
    })
  })

  test('each row is redacted by its own level', async () => {
    const { messages } = await agent.ask('list_messages', { account: 'ada', folder: 'Steps', limit: 100 })
    const redacted = Map.groupBy(messages, (row) => row.redacted_fields.join(' '))
    expect([...redacted].map(([fields, rows]) => [fields, rows.length]).toSorted()).toEqual([
      ['', 7],
      ['date from to subject has_attachment', 3],
      ['has_attachment', 15],
    ])
  })

  test('folders count what the caller may count', async () => {
    const { folders, hidden_folders_count } = await agent.ask('list_folders', { account: 'ada' })
    expect(Object.fromEntries(folders.map(({ path, message_count }) => [path, message_count]))).toEqual({
      INBOX: 11,
      Steps: 27,
      Capped: 6,
      Whitelisted: 4,
      Empty: 0,
      Blind: null,
      Counted: 11,
    })
    // Secret, Sent and Trash.
    expect(hidden_folders_count).toBe(3)
    expect(await agent.ask('list_accounts')).toMatchObject({ hidden_accounts_count: 1 })
  })

  test('with several senders a grant needs all of them, a cap any one', async () => {
    const seen = async (folder: string) => {
      const answer = await agent.ask('list_messages', { account: 'ada', folder, limit: 100 })
      return answer.messages.map(({ subject }) => subject)
    }
    expect(await seen('Whitelisted')).toEqual(['fresh news', 'the file', 'encoded wörds', 'Annual report'])
    expect(await seen('Capped')).not.toContain('two of us')
    expect(await seen('Capped')).toHaveLength(6)
  })
})

describe('pages', () => {
  test.each([1, 2, 3, 5, 20])('of %i follow each other without gap or overlap', async (limit) => {
    for (const folder of ['INBOX', 'Steps']) {
      const whole = await agent.ask('search', { account: 'ada', folder, limit: 100 })
      const found: number[] = []
      for (let offset = 0; offset <= whole.uids.length; offset += limit) {
        const page = await agent.ask('search', { account: 'ada', folder, limit, offset })
        const rows = await agent.ask('list_messages', { account: 'ada', folder, limit, offset })
        expect(rows.messages.map(({ uid }) => uid)).toEqual(page.uids)
        expect(page).toMatchObject({ page_offset: offset, page_limit: limit })
        expect(page['has_more']).toBe(offset + limit < whole.uids.length)
        found.push(...page.uids)
      }
      expect(found).toEqual(whole.uids)
    }
  })

  test('past the end is an empty page', async () => {
    const page = await agent.ask('search', { account: 'ada', folder: 'INBOX', offset: 1_000_000 })
    expect(page).toMatchObject({ uids: [], has_more: false, matched_total: 11 })
  })

  test.each([{ limit: 0 }, { limit: 501 }, { offset: -1 }, { limit: 1.5 }, { limit: '5' }])(
    '%o is invalid',
    async (more) => {
      expect(await agent.refusal('search', { account: 'ada', folder: 'INBOX', ...more })).toMatchObject({
        code: -32602,
      })
    },
  )
})

describe('reading one message', () => {
  const one = (name: string) => ({ account: 'ada', folder: 'INBOX', uid: uids[MAIL.findIndex((m) => m.name === name)] })

  test('envelope, headers and body say what was written', async () => {
    expect(await agent.ask('fetch_envelope', one('unicode'))).toMatchObject({
      visibility_applied: 'FULL',
      reason: 'folder_default_applied',
      subject: 'Ärger mit STRASSE und 東京',
      date: '2024-01-01T12:00:00Z',
      message_id: '<seed@example.org>',
      redacted_fields: [],
      redaction_reason: null,
    })
    expect(await agent.ask('fetch_body', one('unicode'))).toMatchObject({ redacted_fields: [], redaction_reason: null })
    const { headers } = await agent.ask('fetch_headers', one('copied'))
    expect(headers).toMatchObject({ Cc: 'Team <team@crew.example>', Subject: 'to the team' })
    expect(await agent.ask('fetch_body', one('file'))).toMatchObject({
      text_body: 'see file',
      html_body: null,
      truncated: false,
      attachments: [
        { part_id: '2', filename: 'report.pdf', mime_type: 'application/pdf', size_bytes: expect.any(Number) },
      ],
    })
  })

  test('what is redacted has a reason of the closed list', async () => {
    const at = { account: 'ada', folder: 'Steps' }
    const { uids: found } = await agent.ask('search', { ...at, criteria: { from_domain: 'body.example' }, limit: 1 })
    const body = { ...at, uid: found[0] }
    const reasons = { redacted_fields: ['attachments'], redaction_reason: 'visibility_below_FULL' }
    for (const tool of ['fetch_envelope', 'fetch_headers', 'fetch_body']) {
      expect(await agent.ask(tool, body)).toMatchObject(reasons)
    }
    const lower = await agent.ask('search', { ...at, criteria: { from_domain: 'envelope.example' }, limit: 1 })
    expect(await agent.ask('fetch_envelope', { ...at, uid: lower.uids[0] })).toMatchObject({
      redacted_fields: ['body', 'attachments'],
      redaction_reason: 'visibility_below_BODY',
    })
  })

  test('an attachment has one size, whichever tool tells it, and its part may be a number', async () => {
    const sizes = [900, 4095, 4096, 4097]
    const files = sizes.map((size) => attachedFile('base64', wrapped('x'.repeat(size))))
    const quoted = attachedFile('quoted-printable', 'caf=C3=A9;=\r\n1')
    const [uid = 0] = await stage.put('ada', 'Sizes', [
      ['MIME-Version: 1.0', MIXED, '', ...files, quoted, '--b--', ''].join('\r\n'),
    ])
    const at = { account: 'ada', folder: 'Sizes', uid }
    const attachments = (await agent.ask('fetch_body', at))['attachments'] as { part_id: string; size_bytes: number }[]
    expect(attachments.map(({ size_bytes }) => size_bytes)).toEqual([...sizes, 7])
    for (const { part_id, size_bytes } of attachments) {
      const fetched = await agent.ask('fetch_attachment', { ...at, part_id: Number(part_id) })
      expect(fetched).toMatchObject({ part_id, size_bytes })
    }
  })

  test('an attachment is found by number, by name, or as the first', async () => {
    const whole = {
      part_id: '2',
      filename: 'report.pdf',
      mime_type: 'application/pdf',
      size_bytes: 9,
      content_base64: 'JVBERi0xLjQK',
      content_hash: createHash('sha256').update('%PDF-1.4\n').digest('hex'),
    }
    const found = await agent.ask('fetch_attachment', one('file'))
    expect(found).toMatchObject(whole)
    expect(await agent.ask('fetch_attachment', { ...one('file'), part_id: '2' })).toEqual(found)
    expect(await agent.ask('fetch_attachment', { ...one('file'), part_id: 'report.pdf' })).toEqual(found)
  })

  test('header fields keep their names, whatever these mean elsewhere, and repeated ones are a list', async () => {
    const odd = ['__proto__: first', 'constructor: second', 'toString: third', 'X-Twice: one', 'x-twice: two']
    const [uid = 0] = await stage.put('ada', 'Empty', [letter({ extra: odd })])
    const { headers } = await agent.ask('fetch_headers', { account: 'ada', folder: 'Empty', uid })
    const fields = new Map(Object.entries(headers as object))
    expect(fields.get('__proto__')).toBe('first')
    expect(fields.get('constructor')).toBe('second')
    expect(fields.get('toString')).toBe('third')
    expect(fields.get('X-Twice')).toEqual(['one', 'two'])
    await (await stage.client('ada')).vanish('Empty', uid)
  })

  test('nothing that reads sets a flag', async () => {
    for (const tool of ['fetch_envelope', 'fetch_headers', 'fetch_body', 'fetch_attachment']) {
      await agent.ask(tool, one('file'))
    }
    const flags = await (await stage.client('ada')).flags('INBOX', one('file').uid ?? 0)
    expect(flags.filter((flag) => flag !== '\\Recent')).toEqual([])
  })
})

describe('what is hidden and what does not exist', () => {
  const places = (account: string, folder: string) => ({
    folder_stats: { account, folder },
    search: { account, folder },
    list_messages: { account, folder },
    fetch_envelope: { account, folder, uid: 1 },
    fetch_headers: { account, folder, uid: 1 },
    fetch_body: { account, folder, uid: 1 },
    fetch_attachment: { account, folder, uid: 1 },
    mark_seen: { account, folder, uid: 1, seen: true },
    mark_tagged: { account, folder, uid: 1, tags: ['x'], mode: 'add' },
    move: { source: { account, folder, uid: 1 }, target: { account, folder: 'Empty' } },
    copy: { source: { account, folder, uid: 1 }, target: { account, folder: 'Empty' } },
    create_draft: { account, folder, rfc822: 'Subject: x\r\n\r\n' },
  })
  const TOOLS = Object.keys(places('', ''))
  const asked = (tool: string, account: string, folder: string): Readonly<Record<string, unknown>> =>
    places(account, folder)[tool as keyof ReturnType<typeof places>]

  test.each(TOOLS)('%s: a hidden folder is as a missing one, a hidden account as none', async (tool) => {
    const say = async (account: string, folder: string) => {
      const answer = JSON.stringify(await agent.ask(tool, asked(tool, account, folder)))
      return JSON.parse(answer.replaceAll(folder, 'F').replaceAll(`"${account}"`, '"A"'))
    }
    expect(await say('ada', 'Secret')).toEqual(await say('ada', 'Nowhere'))
    expect(await say('ada', 'Secret')).toMatchObject({ decision: 'DENY', reason: 'folder_hidden' })
    expect(await say('bob', 'INBOX')).toEqual(await say('eve', 'INBOX'))
    expect(await say('bob', 'INBOX')).toMatchObject({ decision: 'DENY', reason: 'account_hidden' })
  })

  test.each(['list_folders', 'list_labels'])('%s: a hidden account is as none', async (tool) => {
    expect(await agent.ask(tool, { account: 'bob' })).toMatchObject({ decision: 'DENY', reason: 'account_hidden' })
    expect(await agent.ask(tool, { account: 'nobody' })).toMatchObject({ decision: 'DENY', reason: 'account_hidden' })
  })

  test('a folder that the policy names and the server does not have', async () => {
    for (const tool of ['folder_stats', 'search', 'list_messages', 'fetch_envelope']) {
      expect(await agent.ask(tool, asked(tool, 'ada', 'Gone'))).toMatchObject({ error_type: 'folder_not_found' })
    }
    expect((await agent.ask('list_folders', { account: 'ada' })).folders.map(({ path }) => path)).not.toContain('Gone')
  })

  test('uids: missing, stale, none', async () => {
    const validity = await uidvalidityOf(await stage.client('ada'), 'INBOX')
    const fetch = (more: object) => agent.ask('fetch_envelope', { account: 'ada', folder: 'INBOX', uid: 1, ...more })
    expect(await fetch({ uid: 4_000_000_000 })).toMatchObject({ result: 'ERROR', error_type: 'uid_not_found' })
    expect(await fetch({ uidvalidity: validity })).toMatchObject({ decision: 'ALLOW', subject: 'Annual report' })
    expect(await fetch({ uidvalidity: validity + 1 })).toMatchObject({ result: 'ERROR', error_type: 'uid_stale' })
    for (const uid of [0, -1, 1.5, '1', 2 ** 32]) {
      const bad = { account: 'ada', folder: 'INBOX', uid }
      expect(await agent.refusal('fetch_envelope', bad)).toMatchObject({ code: -32602 })
    }
  })

  test('what a message keeps back is said with its reason', async () => {
    const read = (folder: string, name: string) =>
      agent.ask('fetch_body', { account: 'ada', folder, uid: MAIL.findIndex((m) => m.name === name) + 1 })
    expect(await read('Whitelisted', 'star')).toMatchObject({ reason: 'sender_not_whitelisted' })
    expect(await read('Capped', 'new')).toMatchObject({ reason: 'sender_blacklisted' })
    expect(await read('Whitelisted', 'new')).toMatchObject({ decision: 'ALLOW', reason: 'rule_matched' })
    expect(await read('Counted', 'new')).toMatchObject({ reason: 'visibility_below_BODY' })
  })
})
