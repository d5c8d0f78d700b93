/**
 * Two mailboxes that differ only in what the caller may not see, under a policy that conceals it: no question has two
 * answers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSeal } from '../../src/adapters/seal/seal.ts'
import { uidvalidityOf } from '../imap/harness.ts'
import { letter } from '../mail-source/messages.ts'
import { type Agent, ALL_CAPABILITIES, type Folder, type Stage, startStage, uniform } from './stage.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
const from = (domain: string, subject: string, more: object = {}): string =>
  letter({ from: `Someone <one@${domain}>`, subject, body: `words about ${subject}`, ...more })

const FOLDERS: readonly Folder[] = [
  {
    path: 'INBOX',
    mode: 'whitelist',
    default: 'NONE',
    rules: [
      { match: { from_domain: 'full.example' }, grant: 'FULL' },
      { match: { from_domain: 'envelope.example' }, grant: 'ENVELOPE' },
      { match: { from_domain: 'meta.example' }, grant: 'METADATA' },
      { match: { from_domain: 'count.example' }, grant: 'COUNT' },
    ],
    ...ALL_CAPABILITIES,
  },
  {
    path: 'Filtered',
    mode: 'blacklist',
    default: 'FULL',
    rules: [{ match: { from_domain: 'hidden.example' }, cap: 'NONE' }],
    ...ALL_CAPABILITIES,
  },
  {
    path: 'Stars',
    mode: 'whitelist',
    default: 'NONE',
    rules: [{ match: { flagged: true }, grant: 'FULL' }],
    ...ALL_CAPABILITIES,
  },
  uniform('Work/**', 'FULL', ALL_CAPABILITIES),
  uniform('Work/Private', 'NONE', ALL_CAPABILITIES),
  uniform('Sink', 'NONE', ALL_CAPABILITIES),
]

/** What is in the folders; a hidden message is in one of the mailboxes only. */
const MAIL: Readonly<Record<string, readonly { raw: string; hidden?: boolean; flags?: string[] }[]>> = {
  INBOX: [
    { raw: from('full.example', 'first') },
    { raw: from('hidden.example', 'secret one'), hidden: true, flags: ['\\Flagged'] },
    { raw: from('envelope.example', 'second Grüße'), flags: ['\\Seen'] },
    { raw: from('meta.example', 'unread third') },
    { raw: from('hidden.example', 'secret two', { body: 'x'.repeat(5000) }), hidden: true },
    { raw: from('count.example', 'counted') },
    { raw: from('full.example', 'fourth'), flags: ['\\Flagged'] },
    { raw: from('hidden.example', 'secret three'), hidden: true, flags: ['\\Seen'] },
  ],
  Filtered: [
    { raw: from('hidden.example', 'filtered one'), hidden: true },
    { raw: from('seen.example', 'plain') },
    { raw: from('hidden.example', 'filtered two'), hidden: true },
  ],
  Stars: [
    { raw: from('a.example', 'starred'), flags: ['\\Flagged'] },
    { raw: from('a.example', 'dim'), hidden: true },
  ],
  'Work/Box': [{ raw: from('a.example', 'open work') }],
  'Work/Private': [{ raw: from('a.example', 'private work'), hidden: true }],
  Sink: [{ raw: from('a.example', 'sunk'), hidden: true }],
}

let stage: Stage
let agent: Agent
const uids = new Map<string, readonly number[]>()
const validities = new Map<string, number>()

beforeAll(async () => {
  const accounts = { ada: FOLDERS, bob: FOLDERS }
  stage = await startStage({
    users: ['ada', 'bob'],
    callers: { bot: { toolsets: ['policy', 'imap'] } },
    policies: { bot: { conceal_hidden: true, accounts } },
  })
  for (const [folder, messages] of Object.entries(MAIL)) {
    const dated = messages.map(({ raw, flags = [] }, i) => ({ raw, flags, received: now - (10 - i) * DAY }))
    uids.set(folder, await stage.put('ada', folder, dated))
  }
  await stage.twin('ada', 'bob')
  await makeDifferent()
  for (const folder of Object.keys(MAIL)) validities.set(folder, await uidvalidityOf(await stage.client('ada'), folder))
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

/** Of Bob's hidden mail some is gone and some is other mail; Ada has folders that the policy does not speak of. */
async function makeDifferent(): Promise<void> {
  const [ada, bob] = [await stage.client('ada'), await stage.client('bob')]
  for (const [folder, messages] of Object.entries(MAIL)) {
    for (const [i, { hidden }] of messages.entries()) {
      if (hidden === true) await bob.vanish(folder, uidIn(folder, i))
    }
  }
  const other = { raw: from('hidden.example', 'what only Bob has', { body: 'y'.repeat(30_000) }), flags: ['\\Flagged'] }
  await bob.imap.append('INBOX', Buffer.from(other.raw), other.flags)
  await bob.imap.append('INBOX', Buffer.from(other.raw))
  // Whoever opens a mailbox first takes its mark of what is new.
  for (const folder of Object.keys(MAIL)) {
    await ada.imap.mailboxOpen(folder)
    await bob.imap.mailboxOpen(folder)
  }
  await ada.seed('Secret', [{ raw: from('full.example', 'in a hidden folder') }])
  await ada.seed('Secret/Below', [])
  await bob.seed('Mystery', [])
}

function uidIn(folder: string, index: number): number {
  return uids.get(folder)?.[index] ?? 0
}

type Question = readonly [tool: string, args: (account: string) => Readonly<Record<string, unknown>>]

/** Times aside, and with one name for both accounts. */
function masked(answer: unknown): unknown {
  const text = JSON.stringify(answer)
  return JSON.parse(
    text
      .replaceAll(/\b(ada|bob)\b/g, 'somebody')
      .replaceAll(/"(now_utc|duration_ms|latency_ms|next_cursor|cursor)":("[^"]*"|[0-9]+)/g, '"$1":0'),
  )
}

async function both([tool, args]: Question): Promise<unknown> {
  const answers = []
  for (const account of ['ada', 'bob']) answers.push(await answerTo(tool, args(account)))
  const [ada, bob] = answers.map(masked)
  expect(bob, `${tool} ${JSON.stringify(args('…'))}`).toEqual(ada)
  return answers[0]
}

function answerTo(tool: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { client } = agent.postern
  const answer =
    tool === 'resource'
      ? client.readResource({ uri: String(args['uri']) })
      : client.callTool({ name: tool, arguments: { ...args } }).then(({ structuredContent }) => structuredContent)
  return answer.then(
    (result) => ({ result }),
    ({ code, message, data }) => ({ code, message, data }),
  )
}

const CRITERIA: readonly object[] = [
  {},
  { from: 'one@hidden.example' },
  { from: 'one@meta.example' },
  { from_domain: 'hidden.example' },
  { from_domain: 'envelope.example' },
  { from_domain: 'count.example' },
  { to: 'charles@example.net' },
  { to_contains: 'charles' },
  { subject_contains: 'secret' },
  { subject_contains: 'GRÜSSE' },
  { subject_contains: 'unread' },
  { has_attachment: false },
  { has_attachment: true },
  { newer_than: '9d' },
  { older_than: '1h' },
  { size_gt: 2000 },
  { size_lt: 2000 },
  { flagged: true },
  { flagged: false },
  { authenticated: true },
  { flagged: true, from_domain: 'hidden.example', newer_than: '30d' },
]

const FOLDER_NAMES = [
  'INBOX',
  'Filtered',
  'Stars',
  'Work/Box',
  'Work/Private',
  'Sink',
  'Secret',
  'Secret/Below',
  'Mystery',
  'Nowhere',
]

describe('questions about folders', () => {
  test.each<Question>([
    ['list_folders', (account) => ({ account })],
    ['list_labels', (account) => ({ account })],
    ['imap_list_mailboxes', (account) => ({ account_id: account })],
    ['imap_verify_account', (account) => ({ account_id: account })],
  ])('%s', async (...question) => {
    expect(JSON.stringify(await both(question))).not.toMatch(/Secret|Mystery/)
  })

  test('the accounts and the policy count nothing that is hidden', async () => {
    const { accounts, ...counts } = await agent.ask('describe_policy')
    const [ada, bob] = accounts as readonly object[]
    expect(masked(bob)).toEqual(masked(ada))
    expect(counts).toMatchObject({ hidden_accounts_count: null })
    expect(ada).toMatchObject({ hidden_folders_count: null })
    expect(await agent.ask('list_accounts')).toMatchObject({ hidden_accounts_count: null })
  })

  test.each(FOLDER_NAMES)('statistics of %s', async (folder) => {
    await both(['folder_stats', (account) => ({ account, folder })])
  })
})

describe('searches', () => {
  test.each(FOLDER_NAMES)('every criterion in %s', async (folder) => {
    for (const criteria of CRITERIA) {
      await both(['search', (account) => ({ account, folder, criteria })])
      await both(['list_messages', (account) => ({ account, folder, criteria })])
    }
  })

  test('nothing tells how much was left out', async () => {
    const answer = await agent.ask('search', { account: 'ada', folder: 'INBOX' })
    const visible = [6, 3, 2, 0].map((index) => uidIn('INBOX', index))
    expect(answer).toMatchObject({ uids: visible, matched_total: 4, matched_visible: 4, filtered_out: null })
  })

  test('a criterion finds only messages whose field could be read', async () => {
    const found = async (criteria: object): Promise<number[]> =>
      (await agent.ask('search', { account: 'ada', folder: 'INBOX', criteria })).uids.map(
        (uid) => (uids.get('INBOX') ?? []).indexOf(uid) + 1,
      )
    expect(await found({ subject_contains: 'r' })).toEqual([7, 3, 1])
    expect(await found({ from_domain: 'meta.example' })).toEqual([])
    expect(await found({ newer_than: '30d' })).toEqual([7, 3, 1])
    expect(await found({ size_gt: 1 })).toEqual([7, 4, 3, 1])
    expect(await found({ has_attachment: false })).toEqual([7, 1])
  })

  test.each([1, 2, 3])('pages of %i by offset', async (limit) => {
    for (let offset = 0; offset < 6; offset += limit) {
      await both(['search', (account) => ({ account, folder: 'INBOX', limit, offset })])
      await both(['list_messages', (account) => ({ account, folder: 'INBOX', limit, offset })])
    }
  })

  test.each<object>([
    {},
    { query: 'secret' },
    { query: 'words' },
    { from: 'hidden.example' },
    { from: 'one' },
    { to: 'charles' },
    { subject: 'secret' },
    { subject: 'r' },
    { unread_only: true },
    { last_days: 30 },
    { start_date: '2020-01-01' },
    { end_date: '2030-01-01' },
    { include_snippet: true },
  ])('imap_search_messages with %o, page by page', async (criteria) => {
    for (const mailbox of FOLDER_NAMES) {
      await both(['imap_search_messages', (account_id) => ({ account_id, mailbox, ...criteria })])
    }
    const [ada, bob] = [await pagesOf('ada', criteria), await pagesOf('bob', criteria)]
    expect(bob).toEqual(ada)
  })
})

/** Each page, and what its cursor says to those who could open it, times and the place aside. */
async function pagesOf(account_id: string, criteria: object): Promise<unknown[]> {
  const seal = createSeal({ directory: stage.dataDir })
  const pages: unknown[] = []
  let cursor: string | undefined
  do {
    const asked = { account_id, mailbox: 'INBOX', limit: 1, ...(cursor === undefined ? criteria : { cursor }) }
    const { data } = await agent.postern.call('imap_search_messages', asked)
    cursor = data.next_cursor
    const sealed: unknown[] = cursor === undefined ? [] : JSON.parse(await seal.open(cursor))
    pages.push(masked(data), sealed.slice(1, -2))
  } while (cursor !== undefined)
  return pages
}

const asPolicy = (folder: string, uid: number, more: object = {}): Question[] => {
  const one = (account: string) => ({ account, folder, uid, ...more })
  const to = (target: string) => (account: string) => ({ source: one(account), target: { account, folder: target } })
  return [
    ...['fetch_envelope', 'fetch_headers', 'fetch_body', 'fetch_attachment'].map((tool): Question => [tool, one]),
    ['fetch_attachment', (account) => ({ ...one(account), part_id: '1' })],
    ['mark_seen', (account) => ({ ...one(account), seen: false })],
    ['mark_tagged', (account) => ({ ...one(account), tags: ['x'], mode: 'add' })],
    ['mark_tagged', (account) => ({ ...one(account), tags: ['\\Flagged'], mode: 'add' })],
    ['mark_tagged', (account) => ({ ...one(account), tags: [], mode: 'replace' })],
    ['mark_tagged', (account) => ({ ...one(account), tags: ['\\Deleted'], mode: 'add' })],
    ...['Work/Box', 'Sink', 'Work/Private', 'Nowhere', 'Secret', folder].flatMap((target): Question[] => [
      ['copy', to(target)],
      ['move', to(target)],
    ]),
  ]
}

const asImap = (folder: string, uid: number, uidvalidity = validities.get(folder) ?? 1): Question[] => {
  const message = (account: string) => ({ message_id: `imap:${account}:${folder}:${uidvalidity}:${uid}` })
  const uri = (account: string) =>
    `imap://${account}/mailbox/${encodeURIComponent(folder)}/message/${uidvalidity}/${uid}`
  return [
    ['imap_get_message', message],
    ['imap_get_message_raw', message],
    ['imap_update_message_flags', (account) => ({ ...message(account), add_flags: ['\\Seen'] })],
    ['imap_update_message_flags', (account) => ({ ...message(account), add_flags: ['\\Flagged'] })],
    ['imap_update_message_flags', (account) => ({ ...message(account), remove_flags: ['\\Flagged', 'x'] })],
    ['imap_copy_message', (account) => ({ ...message(account), destination_mailbox: 'Work/Box' })],
    ['imap_copy_message', (account) => ({ ...message(account), destination_mailbox: 'Sink' })],
    ['imap_copy_message', (account) => ({ ...message(account), destination_mailbox: 'Secret' })],
    ['imap_move_message', (account) => ({ ...message(account), destination_mailbox: 'Work/Box' })],
    ['imap_move_message', (account) => ({ ...message(account), destination_mailbox: folder })],
    ['imap_delete_message', (account) => ({ ...message(account), confirm: true })],
    ['resource', (account) => ({ uri: uri(account) })],
    ['resource', (account) => ({ uri: `${uri(account)}/raw` })],
    ['resource', (account) => ({ uri: `${uri(account)}/attachment/1` })],
  ]
}

/** Hidden in Ada's mailbox, missing in Bob's. */
const HIDDEN = Object.entries(MAIL).flatMap(([folder, messages]) =>
  messages.flatMap(({ hidden }, index) => (hidden === true ? [{ folder, index }] : [])),
)

/** Where no message could ever be read, none is looked for: a missing one is refused in the same way. */
const ABSENT = /"(uid_not_found|folder_not_found|forbidden_system_flag|folder_hidden|sender_not_whitelisted)"/

describe.each(HIDDEN)('message $index of $folder', ({ folder, index }) => {
  test('is missing to every tool of the policy set', async () => {
    for (const question of asPolicy(folder, uidIn(folder, index))) {
      const answer = JSON.stringify(await both(question))
      expect(answer).toMatch(ABSENT)
    }
  })

  test('is missing also under another uidvalidity', async () => {
    for (const question of asPolicy(folder, uidIn(folder, index), { uidvalidity: 12345 })) await both(question)
    for (const question of asImap(folder, uidIn(folder, index), 12345)) await both(question)
  })

  test('is missing to every tool and resource of the imap set', async () => {
    for (const question of asImap(folder, uidIn(folder, index))) {
      expect(await both(question)).toMatchObject({ code: -32002, data: { code: 'not_found' } })
    }
  })

  test('is as it was before all that', async () => {
    const client = await stage.client('ada')
    const flags = (await client.flags(folder, uidIn(folder, index))).filter((flag) => flag !== '\\Recent')
    expect(flags).toEqual(MAIL[folder]?.[index]?.flags ?? [])
  })
})

describe('what the caller does see', () => {
  test.each([
    ['INBOX', 3],
    ['INBOX', 5],
    ['INBOX', 2],
    ['Filtered', 1],
    ['Stars', 0],
    ['INBOX', 0],
  ])('message of %s, %i', async (folder, index) => {
    for (const question of asPolicy(folder, uidIn(folder, index))) await both(question)
    for (const question of asImap(folder, uidIn(folder, index))) await both(question)
  })

  test('a draft that the caller cannot see gets no uid', async () => {
    const rfc822 = 'From: me@elsewhere.example\r\nSubject: draft\r\n\r\nwords'
    for (const folder of ['Sink', 'INBOX', 'Work/Private', 'Stars', 'Nowhere', 'Secret']) {
      await both(['create_draft', (account) => ({ account, folder, rfc822 })])
    }
    const answer = await agent.ask('create_draft', { account: 'ada', folder: 'Sink', rfc822 })
    expect(answer).toMatchObject({ result: 'OK', uid: null, uidvalidity: null })
  })

  test('and after all that every folder still looks the same', async () => {
    for (const folder of FOLDER_NAMES) {
      await both(['folder_stats', (account) => ({ account, folder })])
      await both(['list_messages', (account) => ({ account, folder })])
    }
    await both(['list_folders', (account) => ({ account })])
  })
})
