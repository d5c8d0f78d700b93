/** What a client is told of the `outbox` set before it calls anything. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerPolicy, type Policy } from '../../src/core/policy/policy.ts'
import { SENDING_FORBIDDEN } from '../../src/core/policy/sending.ts'
import { setsNamed } from '../../src/house/tool-sets.ts'
import { makeServer } from '../../src/surfaces/mcp/server.ts'
import { outboxSet } from '../../src/surfaces/tools/outbox/set.ts'
import { usefulTools } from '../../src/surfaces/tools/useful-tools.ts'
import { caller, FakeGate, fakeParts } from '../mcp/fake-set.ts'

const MOST_TOKENS = 300
const MOST_TOGETHER = 900

let client: Client

beforeAll(async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await makeServer(fakeParts(new FakeGate()), { caller, sets: [outboxSet] }, 'legacy').connect(theirs)
  client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
})
afterAll(() => client.close())

test('the listing is the pinned contract', async () => {
  const { tools } = await client.listTools()
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('listing.snap')
})

test('no tool costs more than its budget', async () => {
  const { tools } = await client.listTools()
  const costs = tools.map(({ name, description, inputSchema }) => ({
    name,
    tokens: encode(JSON.stringify({ name, description, inputSchema })).length,
  }))
  expect(costs.filter(({ tokens }) => tokens > MOST_TOKENS)).toEqual([])
  expect(costs.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(MOST_TOGETHER)
})

const PROMISED: Readonly<Record<string, { required: string[]; properties: Record<string, object> }>> = {
  search_email: {
    required: ['query'],
    properties: {
      query: {
        type: 'string',
        description: "Gmail search query (e.g., 'from:user@example.com subject:invoice after:2026/01/01')",
      },
      max_results: {
        ...{ type: 'integer', description: 'Maximum number of results to return' },
        ...{ default: 5, minimum: 1, maximum: 50 },
      },
    },
  },
  draft_email: letter(),
  send_email: letter(),
  reply_email: {
    required: ['thread_id', 'message_id', 'body'],
    properties: {
      thread_id: { type: 'string', description: 'Gmail thread ID to reply to' },
      message_id: {
        type: 'string',
        description: 'Gmail message ID to reply to (for correct threading headers)',
      },
      body: { type: 'string', description: 'Plain text reply body' },
    },
  },
}

function letter() {
  return {
    required: ['to', 'subject', 'body'],
    properties: {
      to: { type: 'string', description: 'Recipient email address' },
      subject: { type: 'string', description: 'Email subject line' },
      body: { type: 'string', description: 'Plain text email body' },
    },
  }
}

test('every promised argument is there as promised, nothing unknown is taken, and there is no combinator', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(PROMISED))
  for (const { name, inputSchema } of tools) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false, ...PROMISED[name] })
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(oneOf|anyOf|allOf|not)":/)
    expect(inputSchema.properties).toHaveProperty('account')
  }
})

test('what reads, what writes and what leaves is in the annotations', async () => {
  const { tools } = await client.listTools()
  const hints = tools.map(({ annotations: { readOnlyHint, openWorldHint } = {} }) => [readOnlyHint, openWorldHint])
  expect(hints).toEqual([
    [true, false],
    [false, false],
    [false, true],
    [false, true],
  ])
})

test('it goes with every other set', () => {
  expect(setsNamed(['imap', 'inbox', 'outbox']).map(({ name }) => name)).toEqual(['imap', 'inbox', 'outbox'])
  expect(setsNamed(['policy', 'outbox'])).toHaveLength(2)
})

test('who may not send and wants no useless tools is not offered them', () => {
  const names = (policy: Policy): string[] =>
    usefulTools([outboxSet], policy, ['work']).flatMap(({ tools }) => tools.map(({ name }) => name))
  const policy = ownerPolicy(true)
  expect(names(policy)).toEqual(Object.keys(PROMISED))
  expect(names({ ...policy, send: SENDING_FORBIDDEN })).toEqual(['search_email', 'draft_email'])
})
