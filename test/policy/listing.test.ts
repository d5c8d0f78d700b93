/** What a caller of a configuration tree is told before it calls anything. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Arguments } from './answers.ts'
import { type Agent, ALL_CAPABILITIES, granting, type Stage, startStage, uniform } from './stage.ts'

/** Hosts put name, description and input schema of every tool into every conversation. */
const MOST_TOKENS = 300
const MOST_TOGETHER = 3000

const SEVENTEEN = [
  ...['list_accounts', 'list_folders', 'list_labels', 'folder_stats', 'search'],
  ...['fetch_envelope', 'fetch_headers', 'fetch_body', 'fetch_attachment'],
  ...['mark_seen', 'mark_tagged', 'move', 'copy', 'create_draft'],
  ...['describe_policy', 'get_caller_identity', 'get_transaction_status'],
]

/** Category, level, capability. */
const MARKS: Readonly<Record<string, readonly [string, (string | undefined)?, string?]>> = {
  list_accounts: ['read'],
  list_folders: ['read', 'COUNT'],
  list_labels: ['read', 'COUNT'],
  folder_stats: ['read', 'COUNT'],
  search: ['read', 'METADATA'],
  list_messages: ['read', 'METADATA'],
  fetch_envelope: ['read', 'ENVELOPE'],
  fetch_headers: ['read', 'HEADERS'],
  fetch_body: ['read', 'BODY'],
  fetch_attachment: ['read', 'FULL'],
  mark_seen: ['write', undefined, 'mark_seen'],
  mark_tagged: ['write', undefined, 'mark_tagged'],
  move: ['write', undefined, 'move_out+accept_incoming'],
  copy: ['write', undefined, 'accept_incoming'],
  create_draft: ['write', undefined, 'draft_append'],
  describe_policy: ['meta'],
  get_caller_identity: ['meta'],
  get_transaction_status: ['meta'],
}

let stage: Stage
let agent: Agent

beforeAll(async () => {
  const reading = { ada: [granting('INBOX', 'example.com', 'ENVELOPE', { mark_seen: true })] }
  stage = await startStage({
    callers: {
      plain: {},
      both: { policy: 'plain', toolsets: ['imap', 'policy'] },
      imap: { policy: 'plain', toolsets: ['imap'] },
      tidy: { policy: 'reading', hide_denied_tools: true },
      tidiest: { policy: 'nothing', hide_denied_tools: true },
      untidy: { policy: 'nothing' },
      counting: { policy: 'counting', toolsets: ['imap'], hide_denied_tools: true },
      skimming: { policy: 'skimming', toolsets: ['imap'], hide_denied_tools: true },
      whole: { policy: 'everything', hide_denied_tools: true },
    },
    policies: {
      plain: { accounts: reading },
      reading: { accounts: reading },
      nothing: { accounts: {} },
      counting: { accounts: { ada: [uniform('INBOX', 'COUNT')] } },
      skimming: { accounts: { ada: [uniform('INBOX', 'METADATA')] } },
      everything: { accounts: { ada: [uniform('**', 'FULL', ALL_CAPABILITIES)] } },
    },
  })
  agent = await stage.as('plain')
})
afterAll(() => stage.close())

const listed = async (caller: string): Promise<string[]> =>
  (await (await stage.as(caller)).postern.client.listTools()).tools.map(({ name }) => name)

test('the listing is the pinned contract', async () => {
  const { tools } = await agent.postern.client.listTools()
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('listing.snap')
})

test('it has the seventeen tools of the contract, and one to list messages', async () => {
  expect((await listed('plain')).toSorted()).toEqual([...SEVENTEEN, 'list_messages'].toSorted())
})

test('no tool costs more than its budget', async () => {
  const { tools } = await agent.postern.client.listTools()
  const costs = tools.map(({ name, description, inputSchema }) => ({
    name,
    tokens: encode(JSON.stringify({ name, description, inputSchema })).length,
  }))
  expect(costs.filter(({ tokens }) => tokens > MOST_TOKENS)).toEqual([])
  expect(costs.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(MOST_TOGETHER)
})

test('each tool says what a policy must allow for it', async () => {
  const { tools } = await agent.postern.client.listTools()
  const marks = tools.map(({ name, inputSchema }) => {
    const mark = inputSchema['x-mcp-imap'] as Readonly<Record<string, string>>
    return [name, [mark['category'], mark['minimum_visibility'], mark['required_capability']]]
  })
  const expected = Object.entries(MARKS).map(([name, [category, level, capability]]) => [
    name,
    [category, level, capability],
  ])
  expect(Object.fromEntries(marks)).toEqual(Object.fromEntries(expected))
})

test('the version of the tool set is semver', async () => {
  expect((await agent.ask('describe_policy'))['tool_set_version']).toMatch(/^\d+\.\d+\.\d+$/)
})

test('no input schema holds a combinator, and only describe_policy takes unknown arguments', async () => {
  const { tools } = await agent.postern.client.listTools()
  for (const { name, inputSchema } of tools) {
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(oneOf|anyOf|allOf|not)":/)
    const { additionalProperties } = inputSchema as { readonly additionalProperties?: unknown }
    expect(additionalProperties === false).toBe(name !== 'describe_policy')
  }
  expect(await agent.ask('describe_policy', { account: 'x', more: [1] })).toMatchObject({ decision: 'ALLOW' })
  expect(await agent.refusal('get_caller_identity', { more: 1 })).toMatchObject({ code: -32602 })
  expect(await agent.refusal('no_such_tool')).toMatchObject({ code: -32602 })
})

test('what reads and what writes is in the annotations', async () => {
  const { tools } = await agent.postern.client.listTools()
  const writes = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)
  expect(writes).toEqual(['mark_seen', 'mark_tagged', 'move', 'copy', 'create_draft'])
})

test('a caller gets the sets that are its own, in that order', async () => {
  const [policy, imap] = [await listed('plain'), await listed('imap')]
  expect(imap.every((name) => name.startsWith('imap_'))).toBe(true)
  expect(imap).toHaveLength(10)
  expect(await listed('both')).toEqual([...imap, ...policy])
})

test('a tool of another set is unknown', async () => {
  const imap = await stage.as('imap')
  expect(await imap.refusal('list_accounts')).toMatchObject({ code: -32602 })
  expect(await agent.refusal('imap_list_accounts')).toMatchObject({ code: -32602 })
  await expect(agent.postern.client.readResource({ uri: 'imap://ada/mailbox/INBOX/message/1/1' })).rejects.toThrow()
})

test('a set is listed whole unless the caller wants no tools that are always refused', async () => {
  expect(await listed('untidy')).toEqual(await listed('plain'))
  const tidy = await listed('tidy')
  expect(tidy).toEqual([
    ...['list_accounts', 'list_folders', 'list_labels', 'folder_stats', 'search', 'list_messages', 'fetch_envelope'],
    ...['mark_seen', 'describe_policy', 'get_caller_identity', 'get_transaction_status'],
  ])
  expect(await listed('tidiest')).toEqual([
    ...['list_accounts', 'describe_policy', 'get_caller_identity', 'get_transaction_status'],
  ])
  expect(await listed('whole')).toEqual(await listed('plain'))
})

test('describe_policy names the tools that are listed, in their order', async () => {
  for (const caller of ['tidy', 'plain']) {
    const { tool_set_available: available } = await (await stage.as(caller)).ask('describe_policy')
    expect(available).toEqual(await listed(caller))
  }
})

test('a tool that is not listed is not there to be called either', async () => {
  const tidy = await stage.as('tidy')
  expect(await tidy.refusal('fetch_body', { account: 'ada', folder: 'INBOX', uid: 1 })).toMatchObject({ code: -32602 })
})

test('no answer sends a caller to a tool that is not listed', async () => {
  await stage.put('ada', 'INBOX', ['From: a@example.org\r\nSubject: one\r\n\r\n1', 'From: a@example.org\r\n\r\n2'])
  const nextOf = async (caller: string, tool: string, args: Arguments): Promise<unknown> =>
    (await (await stage.as(caller)).postern.call(tool, { account_id: 'ada', ...args })).data['next_action']
  const next = { tool: 'imap_search_messages', instruction: 'Get the next page' }
  expect(await nextOf('imap', 'imap_list_mailboxes', {})).toMatchObject({ tool: 'imap_search_messages' })
  expect(await listed('counting')).not.toContain('imap_search_messages')
  expect(await nextOf('counting', 'imap_list_mailboxes', {})).toBeUndefined()
  expect(await nextOf('counting', 'imap_verify_account', {})).toMatchObject({ tool: 'imap_list_mailboxes' })
  expect(await listed('skimming')).not.toContain('imap_get_message')
  expect(await nextOf('skimming', 'imap_search_messages', { mailbox: 'INBOX', limit: 1 })).toMatchObject(next)
  expect(await nextOf('skimming', 'imap_search_messages', { mailbox: 'INBOX' })).toBeUndefined()
})
