/** Who is at stdin of a server with a configuration tree. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { initialize } from '../mcp/raw-process.ts'
import { callOverStdio, subjectsOf } from './requests.ts'
import { callerLine, canaryOf, type Scene, startScene, tokenOf, treeOf } from './scene.ts'
import { inbox, toolCall } from './tool-calls.ts'

let scene: Scene

beforeAll(async () => {
  scene = await startScene({
    ...treeOf(['ann', 'ben', 'lost'], 'stdio'),
    'callers.yaml': `callers:\n${callerLine('ann', 'stdio')}${callerLine('ben')}${callerLine('lost')}`,
  })
  await scene.deliver('ann', canaryOf('ann'))
})
afterAll(() => scene.close())

const refusals = async (): Promise<unknown[]> =>
  (await scene.records()).filter(({ tool }) => tool === 'auth_failed').map(({ reason }) => reason)

const discover = { jsonrpc: '2.0', id: 7, method: 'server/discover', params: {} }

test.each<[string, Record<string, string>, string, object]>([
  ['nobody', {}, 'no_caller_identity', initialize(7)],
  ['an empty id', { IMAP_MCP_CALLER_ID: ' ' }, 'no_caller_identity', discover],
  ['a stranger', { IMAP_MCP_CALLER_ID: 'eve' }, 'unknown_caller_id', toolCall(7, 'list_accounts')],
  ['a name in other letters', { IMAP_MCP_CALLER_ID: 'ANN' }, 'unknown_caller_id', initialize(7)],
  ['a word that every object knows', { IMAP_MCP_CALLER_ID: '__proto__' }, 'unknown_caller_id', discover],
  ['one without its token', { IMAP_MCP_CALLER_ID: 'ben' }, 'no_bearer_token', initialize(7)],
  ['one with a wrong token', { IMAP_MCP_CALLER_ID: 'ben', IMAP_MCP_CALLER_TOKEN: 'guess' }, 'wrong_token', discover],
  [
    'another’s token',
    { IMAP_MCP_CALLER_ID: 'ben', IMAP_MCP_CALLER_TOKEN: tokenOf('ann') },
    'wrong_token',
    initialize(7),
  ],
])('%s hears why in one answer, is on record, and that is the end', async (_who, env, reason, first) => {
  const before = (await refusals()).length
  const server = scene.start([], env)
  server.write(first, toolCall(8, 'list_accounts'))
  expect(await server.exitCode()).toBe(1)
  expect(server.messages()).toEqual([
    {
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32001, message: expect.stringMatching(`^${reason}: `), data: { code: reason } },
    },
  ])
  expect(server.errors).toMatch(new RegExp(`^postern: ${reason}: `))
  expect((await refusals()).slice(before)).toEqual([reason])
  const { tool, ...record } = (await scene.records()).at(-1) ?? { tool: 'none' }
  expect(record).toMatchObject({ caller_id: 'unknown', caller_addr: 'stdio', decision: 'DENY', result: 'DENIED' })
  expect(server.output + server.errors + JSON.stringify(record)).not.toMatch(/token-of|guess/)
})

test('a caller with the right token is let in', async () => {
  const server = scene.start([], { IMAP_MCP_CALLER_ID: 'ben', IMAP_MCP_CALLER_TOKEN: tokenOf('ben') })
  server.write(initialize(1))
  await server.answer(1)
  expect((await callOverStdio(server, 'get_caller_identity')).payload).toMatchObject({ caller_id: 'ben' })
  expect(await server.end()).toBe(0)
})

test('a refusal that cannot be put on record is still a refusal', async () => {
  const blocked = await startScene({
    ...treeOf(['ann'], 'stdio'),
    'accounts.yaml': 'accounts:\n  - { id: ann, provider: local }\naudit: { directory: policies/ann.yaml }\n',
  })
  const server = blocked.start([], { IMAP_MCP_CALLER_ID: 'eve' })
  server.write(initialize(1))
  expect(await server.exitCode()).toBe(1)
  expect(server.messages()).toMatchObject([{ id: 1, error: { code: -32001, data: { code: 'unknown_caller_id' } } }])
  expect(server.errors).toContain('a refusal is not on record')
  await blocked.close()
})

test('a token that is not in the store lets nobody in, and says what is missing', async () => {
  await scene.write({ 'secrets/callers/lost': '' })
  const server = scene.start([], { IMAP_MCP_CALLER_ID: 'lost', IMAP_MCP_CALLER_TOKEN: '' })
  server.write(initialize(1))
  expect(await server.exitCode()).toBe(1)
  const guess = scene.start([], { IMAP_MCP_CALLER_ID: 'lost', IMAP_MCP_CALLER_TOKEN: 'x' })
  guess.write(initialize(1))
  expect(await guess.exitCode()).toBe(1)
  expect(guess.messages()).toMatchObject([{ id: 1, error: { code: -32002 } }])
  expect(guess.errors).toContain('callers/lost')
})

describe('a tree that cannot be used', () => {
  test('is told in full to the person and in one sentence to the client', async () => {
    const broken = await startScene({
      ...treeOf(['ann']),
      'callers.yaml': 'callers:\n  - { id: ann, policy: nowhere, auth: { type: stdio_trusted } }\n',
      'policies/ann.yaml': 'name: ann\naccounts:\n  ann:\n    - { path: INBOX, mode: greylist, default: FULL }\n',
    })
    const server = broken.start([], { IMAP_MCP_CALLER_ID: 'ann' })
    server.write(initialize(1))
    expect(await server.exitCode()).toBe(1)
    const sentence = /^the configuration cannot be used: callers\.yaml:2:\d+: [^\n]+\(and \d+ more\)$/
    const error = { code: -32002, message: expect.stringMatching(sentence) }
    expect(server.messages()).toEqual([{ jsonrpc: '2.0', id: 1, error }])
    expect(server.errors).toMatch(/^callers\.yaml:2:\d+: /m)
    expect(server.errors).toMatch(/^policies\/ann\.yaml:4:\d+: /m)
    await broken.close()
  })

  test('or is not there', async () => {
    const server = scene.start(['--config', '/nowhere/at/all'], { IMAP_MCP_CALLER_ID: 'ann' })
    server.write(initialize(1))
    expect(await server.exitCode()).toBe(1)
    expect(server.messages()).toMatchObject([{ id: 1, error: { code: -32002 } }])
    expect(server.errors).toContain('there is no such directory')
  })
})

test('nothing that a client sends changes who it is', async () => {
  const env = { IMAP_MCP_CALLER_ID: 'ann', IMAP_MCP_CALLER_TOKEN: tokenOf('ben') }
  const server = scene.start([], env)
  const hello = initialize(1) as { params: object }
  const claims = { caller_id: 'ben', callerId: 'ben', 'X-MCP-Caller-Id': 'ben', IMAP_MCP_CALLER_ID: 'ben' }
  server.write({ ...hello, params: { ...hello.params, clientInfo: { name: 'ben', version: '1' }, _meta: claims } })
  await server.answer(1)
  server.write({ jsonrpc: '2.0', method: 'notifications/initialized', params: claims })
  const call = { name: 'get_caller_identity', arguments: {}, _meta: claims, ...claims }
  server.write({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })
  expect(await server.answer(2)).toMatchObject({ result: { structuredContent: { caller_id: 'ann' } } })
  const claimed = await callOverStdio(server, 'get_caller_identity', { caller_id: 'ben' })
  expect(claimed.error).toMatchObject({ code: -32602 })
  // A second handshake is a new greeting, not a new caller.
  server.write(initialize(3))
  await server.answer(3)
  expect((await callOverStdio(server, 'get_caller_identity')).payload).toMatchObject({ caller_id: 'ann' })
  expect((await callOverStdio(server, 'list_messages', inbox('ben'))).payload).toMatchObject({
    decision: 'DENY',
    reason: 'account_hidden',
  })
  expect(subjectsOf(await callOverStdio(server, 'list_messages', inbox('ann')))).toEqual([canaryOf('ann')])
  const own = (await scene.records()).filter(({ tool }) => tool === 'get_caller_identity')
  expect(own.slice(-2).map(({ caller_id, caller_addr }) => [caller_id, caller_addr])).toEqual([
    ['ann', 'stdio'],
    ['ann', 'stdio'],
  ])
  expect(await server.end()).toBe(0)
})
