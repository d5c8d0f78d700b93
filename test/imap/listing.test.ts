/** What a client is told before it calls anything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, type Postern, startPostern } from './postern.ts'

/** Hosts put the listing into every conversation: about 3,000 tokens at most. */
const MOST_CHARACTERS = 11_000

let postern: Postern

beforeAll(async () => {
  postern = await startPostern(account('default', 1, 'nobody'))
})
afterAll(() => postern.close())

test('the listing is the pinned contract', async () => {
  const { tools } = await postern.client.listTools()
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('listing.snap')
})

test('the listing fits its budget', async () => {
  const { tools } = await postern.client.listTools()
  expect(JSON.stringify(tools).length).toBeLessThanOrEqual(MOST_CHARACTERS)
})

test('no input schema holds a combinator, at any depth, and none takes unknown arguments', async () => {
  const { tools } = await postern.client.listTools()
  for (const { inputSchema } of tools) {
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(oneOf|anyOf|allOf|not)":/)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
  }
})

test('ten tools, whose annotations say what they do to mail', async () => {
  const { tools } = await postern.client.listTools()
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)
  const destroys = tools.filter(({ annotations }) => annotations?.destructiveHint === true).map(({ name }) => name)
  expect(tools).toHaveLength(10)
  expect(reads).toEqual([
    'imap_list_accounts',
    'imap_verify_account',
    'imap_list_mailboxes',
    'imap_search_messages',
    'imap_get_message',
    'imap_get_message_raw',
  ])
  expect(destroys).toEqual(['imap_delete_message'])
})

test('the listing is the same each time', async () => {
  const [first, second] = [await postern.client.listTools(), await postern.client.listTools()]
  expect(second).toEqual(first)
})

test('three resource templates and no listed resource', async () => {
  const base = 'imap://{account_id}/mailbox/{mailbox}/message/{uidvalidity}/{uid}'
  const { resourceTemplates } = await postern.client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType])).toEqual([
    [base, 'application/json'],
    [`${base}/raw`, 'message/rfc822'],
    [`${base}/attachment/{part_id}`, undefined],
  ])
  expect((await postern.client.listResources()).resources).toEqual([])
})
