/** What a client is told of the `inbox` set before it calls anything. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setsNamed } from '../../src/house/tool-sets.ts'
import { type Agent, type Stage, startStage } from '../policy/stage.ts'
import { inboxSpec } from './answers.ts'

const MOST_TOKENS = 300
const MOST_TOGETHER = 1200

let stage: Stage
let agent: Agent

beforeAll(async () => {
  stage = await startStage(inboxSpec(['bot']))
  agent = await stage.as('bot')
})
afterAll(() => stage.close())

test('the listing is the pinned contract', async () => {
  const { tools } = await agent.postern.client.listTools()
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('listing.snap')
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

test('every tool says that it needs an account, takes nothing unknown and has no combinator', async () => {
  const { tools } = await agent.postern.client.listTools()
  for (const { inputSchema } of tools) {
    expect(inputSchema).toMatchObject({ required: expect.arrayContaining(['account']), additionalProperties: false })
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(oneOf|anyOf|allOf|not)":/)
  }
})

test('what reads and what writes is in the annotations', async () => {
  const { tools } = await agent.postern.client.listTools()
  const writes = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)
  expect(tools.map(({ name }) => name)).toEqual([
    ...['list_emails', 'read_email', 'search_emails', 'create_draft', 'manage_labels', 'get_attachment'],
  ])
  expect(writes).toEqual(['create_draft', 'manage_labels'])
})

test('two sets that define the same tool cannot be had together', () => {
  expect(() => setsNamed(['policy', 'inbox'])).toThrow('policy and inbox both define create_draft')
  expect(setsNamed(['imap', 'inbox', 'inbox']).map(({ name }) => name)).toEqual(['imap', 'inbox'])
})
