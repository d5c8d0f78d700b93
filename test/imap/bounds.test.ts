/** Every argument of every tool at both edges of what it takes, and what is said about the rest. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { messageId, type Stage, startStage, uidvalidityOf } from './harness.ts'
import type { Arguments } from './postern.ts'

let stage: Stage
let id: string

beforeAll(async () => {
  stage = await startStage()
  ;[id = ''] = await stage.put('INBOX', [letter({})])
  await stage.put('Elsewhere', [])
})
afterAll(() => stage.close())

/** The smallest arguments with which each tool does its work. `ID` stands for a message that is there. */
const ID = 'ID'
const LEAST: Readonly<Record<string, Arguments>> = {
  imap_list_accounts: {},
  imap_verify_account: {},
  imap_list_mailboxes: {},
  imap_search_messages: { mailbox: 'INBOX' },
  imap_get_message: { message_id: ID },
  imap_get_message_raw: { message_id: ID },
  imap_update_message_flags: { message_id: ID, add_flags: ['\\Seen'] },
  imap_copy_message: { message_id: ID, destination_mailbox: 'Elsewhere' },
  imap_move_message: { message_id: ID, destination_mailbox: 'Elsewhere' },
  imap_delete_message: { message_id: ID, confirm: true },
}
const WITH_ID = Object.keys(LEAST).filter((tool) => LEAST[tool]?.['message_id'] === ID)
const TOOLS = Object.keys(LEAST)

function filled(tool: string, args: Arguments): Arguments {
  const all = { ...LEAST[tool], ...args }
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value === ID ? id : value]))
}

type Row = [tool: string, args: Arguments]
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `Keyword${index}`)

const ACCEPTED: Row[] = [
  ...TOOLS.slice(1)
    .filter((tool) => !/move|delete/.test(tool))
    .map((tool): Row => [tool, { account_id: 'default' }]),
  ...[{ limit: 1 }, { limit: 50 }, { last_days: 1 }, { last_days: 365 }].map(
    (args): Row => ['imap_search_messages', args],
  ),
  ...['query', 'from', 'to', 'subject'].flatMap((name): Row[] => [
    ['imap_search_messages', { [name]: 'x' }],
    ['imap_search_messages', { [name]: 'x'.repeat(256) }],
    ['imap_search_messages', { [name]: 'ü'.repeat(256) }],
  ]),
  ['imap_search_messages', { start_date: '2024-02-29', end_date: '2024-02-29' }],
  ['imap_search_messages', { start_date: '1970-01-01' }],
  ['imap_search_messages', { end_date: '9999-12-31' }],
  ['imap_search_messages', { start_date: '0001-01-01' }],
  ['imap_search_messages', { start_date: '0000-01-01', end_date: '0000-12-31' }],
  ['imap_search_messages', { unread_only: true }],
  ['imap_search_messages', { unread_only: false }],
  ['imap_search_messages', { include_snippet: true, snippet_max_chars: 50 }],
  ['imap_search_messages', { include_snippet: true, snippet_max_chars: 500 }],
  ['imap_get_message', { body_max_chars: 100 }],
  ['imap_get_message', { body_max_chars: 20_000 }],
  ['imap_get_message', { extract_attachment_text: true, attachment_text_max_chars: 100 }],
  ['imap_get_message', { extract_attachment_text: true, attachment_text_max_chars: 50_000 }],
  ['imap_get_message_raw', { max_bytes: 1024 }],
  ['imap_get_message_raw', { max_bytes: 1_000_000 }],
  ['imap_update_message_flags', { add_flags: many(1) }],
  ['imap_update_message_flags', { add_flags: many(20), remove_flags: many(20) }],
]

test.each(ACCEPTED)('%s takes %j', async (tool, args) => {
  const { data } = await stage.postern.call(tool, filled(tool, args))
  expect(data).toMatchObject({ status: 'ok', issues: [] })
})

const between = (name: string, low: number, high: number, got: unknown): string =>
  `${name} must be between ${low} and ${high}; got ${got}`
const long = (name: string): string => `${name} must have between 1 and 256 characters; got 257`

/** A number with bounds, and the arguments it needs beside it. */
const NUMBERS: [tool: string, name: string, low: number, high: number, beside: Arguments][] = [
  ['imap_search_messages', 'limit', 1, 50, {}],
  ['imap_search_messages', 'last_days', 1, 365, {}],
  ['imap_search_messages', 'snippet_max_chars', 50, 500, { include_snippet: true }],
  ['imap_get_message', 'body_max_chars', 100, 20_000, {}],
  ['imap_get_message', 'attachment_text_max_chars', 100, 50_000, { extract_attachment_text: true }],
  ['imap_get_message_raw', 'max_bytes', 1024, 1_000_000, {}],
]

const STRINGS: [tool: string, name: string][] = [
  ...['mailbox', 'query', 'from', 'to', 'subject'].map((name): [string, string] => ['imap_search_messages', name]),
  ['imap_copy_message', 'destination_mailbox'],
  ['imap_move_message', 'destination_mailbox'],
]

const BOOLEANS: [tool: string, name: string][] = [
  ['imap_search_messages', 'unread_only'],
  ['imap_search_messages', 'include_snippet'],
  ...['include_headers', 'include_all_headers', 'include_html', 'extract_attachment_text'].map(
    (name): [string, string] => ['imap_get_message', name],
  ),
]

const SHAPE = 'message_id must look like imap:{account_id}:{mailbox}:{uidvalidity}:{uid}'
const MISSHAPEN = [
  ...['x', 'imap:', 'IMAP:default:INBOX:1:1', 'gmail:default:18d5a', 'imap::INBOX:1:1', 'imap:default::1:1'],
  ...['imap:default:INBOX:1', 'imap:default:INBOX:1:-1', 'imap:default:INBOX:1:1.5', 'imap:default:INBOX:1:1e3'],
  ...[
    'imap:default:INBOX:1:1 OR 1:*',
    'imap:de fault:INBOX:1:1',
    ' imap:default:INBOX:1:1',
    'imap:default:INBOX:1:1\n',
  ],
  ...['imap:default:INBOX:1:٣', `imap:${'a'.repeat(65)}:INBOX:1:1`, 'imap:default:INBOX:99999999999:1'],
]

type Refused = [tool: string, args: Arguments, message: string]
const REFUSED: Refused[] = [
  ...NUMBERS.flatMap(([tool, name, low, high, beside]): Refused[] => [
    ...[low - 1, high + 1, -low, 1e9].map(
      (value): Refused => [tool, { ...beside, [name]: value }, between(name, low, high, value)],
    ),
    [tool, { ...beside, [name]: low + 0.5 }, `${name} must be a whole number; got ${low + 0.5}`],
    [tool, { ...beside, [name]: String(low) }, `${name} must be a number; got "${low}"`],
    [tool, { ...beside, [name]: null }, `${name} must be a number; got null`],
  ]),
  ...STRINGS.flatMap(([tool, name]): Refused[] => [
    [tool, { [name]: '' }, `${name} must not be empty`],
    [tool, { [name]: 'x'.repeat(257) }, long(name)],
    [tool, { [name]: 7 }, `${name} must be a string; got 7`],
    [tool, { [name]: ['x'] }, `${name} must be a string; got a list`],
    ...['a\r\nb', 'a\nb', 'a\rb', 'a\0b', 'a\tb', 'a\x1bb', 'a\x7fb', 'a\u0085b'].map(
      (value): Refused => [tool, { [name]: value }, `${name} must not contain control characters`],
    ),
  ]),
  ...BOOLEANS.flatMap(([tool, name]): Refused[] => [
    [tool, { [name]: 'true' }, `${name} must be true or false; got "true"`],
    [tool, { [name]: 1 }, `${name} must be true or false; got 1`],
    [tool, { [name]: null }, `${name} must be true or false; got null`],
  ]),
  ...TOOLS.map((tool): Refused => {
    const meant = tool === 'imap_search_messages' ? '; did you mean "limit"?' : ''
    return [tool, { Limit: 1 }, `unknown argument "Limit"${meant}`]
  }),
  ...TOOLS.slice(1).flatMap((tool): Refused[] => [
    ...['', 'a b', 'ü', 'a'.repeat(65), 'a\n', '../x'].map(
      (account_id): Refused => [tool, { account_id }, 'account_id does not have the expected form'],
    ),
    [tool, { account_id: 1 }, 'account_id must be a string; got 1'],
  ]),
  ...['', 'a b', 'a'.repeat(65)].map(
    (destination_account_id): Refused => [
      'imap_copy_message',
      { destination_account_id },
      'destination_account_id does not have the expected form',
    ],
  ),
  ['imap_search_messages', { mailbox: undefined }, 'mailbox is required'],
  ['imap_search_messages', { cursor: '' }, 'cursor must not be empty'],
  ['imap_search_messages', { cursor: 'x'.repeat(1025) }, 'cursor must have between 1 and 1024 characters; got 1025'],
  ...WITH_ID.flatMap((tool): Refused[] => [
    [tool, { message_id: undefined }, 'message_id is required'],
    [tool, { message_id: '' }, 'message_id must not be empty'],
    [tool, { message_id: 5 }, 'message_id must be a string; got 5'],
    [tool, { account_id: 'work' }, 'message_id belongs to another account than account_id'],
  ]),
  ...MISSHAPEN.map((message_id): Refused => ['imap_get_message', { message_id }, SHAPE]),
  ...['imap:default:INBOX:1:0', 'imap:default:INBOX:1:4294967296'].map(
    (message_id): Refused => ['imap_get_message', { message_id }, 'message_id has a uid outside 1 to 4294967295'],
  ),
  ...['imap:default:INBOX:0:1', 'imap:default:INBOX:4294967296:1'].map(
    (message_id): Refused => [
      'imap_get_message',
      { message_id },
      'message_id has a uidvalidity outside 1 to 4294967295',
    ],
  ),
  ...['imap:default:IN\r\nBOX:1:1', 'imap:default:IN\0BOX:1:1', `imap:default:${'x'.repeat(257)}:1:1`].map(
    (message_id): Refused => [
      'imap_get_message',
      { message_id },
      'message_id names a mailbox of over 256 characters or with control characters',
    ],
  ),
  ...[
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '01-01-2024',
    '2024-01-01T00:00',
    'today',
    '',
  ].flatMap((day): Refused[] => [
    ['imap_search_messages', { start_date: day }, 'start_date must be a calendar date written YYYY-MM-DD'],
    ['imap_search_messages', { end_date: day }, 'end_date must be a calendar date written YYYY-MM-DD'],
  ]),
  [
    'imap_search_messages',
    { start_date: '2024-01-02', end_date: '2024-01-01' },
    'start_date must not be after end_date',
  ],
  ...[{ start_date: '2024-01-01' }, { end_date: '2024-01-01' }].map(
    (dates): Refused => [
      'imap_search_messages',
      { ...dates, last_days: 3 },
      'last_days cannot be combined with start_date or end_date',
    ],
  ),
  ['imap_search_messages', { snippet_max_chars: 100 }, 'snippet_max_chars needs include_snippet: true'],
  [
    'imap_search_messages',
    { snippet_max_chars: 100, include_snippet: false },
    'snippet_max_chars needs include_snippet: true',
  ],
  [
    'imap_get_message',
    { attachment_text_max_chars: 100 },
    'attachment_text_max_chars needs extract_attachment_text: true',
  ],
  ...['add_flags', 'remove_flags'].flatMap((name): Refused[] => [
    ['imap_update_message_flags', { [name]: [] }, `${name} must not be empty`],
    ['imap_update_message_flags', { [name]: many(21) }, `${name} must have between 1 and 20 items; got 21`],
    ['imap_update_message_flags', { [name]: '\\Seen' }, `${name} must be a list; got "\\\\Seen"`],
    ['imap_update_message_flags', { [name]: [1] }, `${name}[0] must be a string; got 1`],
  ]),
  ['imap_update_message_flags', { add_flags: undefined }, 'at least one of add_flags and remove_flags is required'],
  ['imap_copy_message', { destination_mailbox: undefined }, 'destination_mailbox is required'],
  ['imap_move_message', { destination_mailbox: undefined }, 'destination_mailbox is required'],
  ['imap_delete_message', { confirm: undefined }, 'confirm is required'],
  ...[
    [false, 'false'],
    ['true', '"true"'],
    [1, '1'],
    [null, 'null'],
  ].map(([confirm, got]): Refused => ['imap_delete_message', { confirm }, `confirm must be true; got ${got}`]),
]

describe('what is refused', () => {
  const rows = REFUSED.map(([tool, args, message]) => [tool, message, args] as const)
  test.each(rows)('%s: %s', async (tool, message, args) => {
    const refusal = await stage.postern.refusal(tool, filled(tool, args))
    expect(refusal).toMatchObject({ message, data: { code: 'invalid_input' } })
  })

  test('none of it reached the mail server', async () => {
    stage.proxy.forget()
    for (const [tool, args] of REFUSED) await stage.postern.refusal(tool, filled(tool, args))
    expect(stage.proxy.sent()).toBe('')
  })
})

test('defaults: ten messages a page, no snippets, 2,000 characters of body, 200,000 bytes of source', async () => {
  const long = letter({ body: 'long line of text\r\n'.repeat(20_000) })
  const ids = await stage.put('Defaults', [...Array.from({ length: 11 }, () => letter({})), long])
  const page = await stage.postern.call('imap_search_messages', { mailbox: 'Defaults' })
  expect(page.data).toMatchObject({ account_id: 'default', returned: 10, total: 12, has_more: true })
  expect(page.data.messages.every((message) => !('snippet' in message))).toBe(true)
  const message_id = ids.at(-1)
  const { data } = await stage.postern.call('imap_get_message', { message_id })
  expect(data.message.body_text?.length).toBeLessThanOrEqual(2000)
  expect(data.message.body_text?.length).toBeGreaterThan(1900)
  expect(data.message.headers).toMatchObject({ Subject: 'no subject' })
  expect(data.message).not.toHaveProperty('body_html')
  const raw = await stage.postern.call('imap_get_message_raw', { message_id })
  expect(Buffer.from(raw.data.raw_source_base64, 'base64')).toHaveLength(200_000)
})

test.each(['nonsense', '', 'imap_List_accounts', 'tools/call'])('there is no tool %j', async (name) => {
  await expect(stage.postern.client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 })
})

test.each(TOOLS.slice(1))('%s says that an account is not configured', async (tool) => {
  const unknown = id.replace('imap:default', 'imap:nobody')
  const args = LEAST[tool]?.['message_id'] === ID ? { message_id: unknown } : { account_id: 'nobody' }
  const refusal = await stage.postern.refusal(tool, filled(tool, args))
  expect(refusal).toMatchObject({
    message: 'account "nobody" is not configured; list the accounts to see which are',
    data: { code: 'not_found' },
  })
})

test('a copy to an account that is not configured is refused before anything happens', async () => {
  const args = filled('imap_copy_message', { destination_account_id: 'nobody' })
  const refusal = await stage.postern.refusal('imap_copy_message', args)
  expect(refusal).toMatchObject({
    message: 'account "nobody" is not configured; list the accounts to see which are',
    data: { code: 'not_found' },
  })
})

test('where no account is named, it is the one in the message id', async () => {
  const [uid = 0] = await stage.bob.seed('INBOX', [{ raw: letter({ subject: 'for Bob' }) }])
  const message_id = messageId('INBOX', await uidvalidityOf(stage.bob, 'INBOX'), uid, 'work')
  const { data } = await stage.postern.call('imap_get_message', { message_id })
  expect(data).toMatchObject({ account_id: 'work', message: { message_id, subject: 'for Bob' } })
})
