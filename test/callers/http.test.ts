/** Several agents over HTTP: each is who its token says, and sees its own mail only. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOverHttp, headersFor, subjectsOf } from './requests.ts'
import { canaryOf, type HttpServer, type Scene, startScene, tokenOf } from './scene.ts'
import { inbox, toolCall } from './tool-calls.ts'

let scene: Scene
let server: HttpServer

beforeAll(async () => {
  scene = await startScene()
  for (const id of ['ann', 'ben']) await scene.deliver(id, canaryOf(id))
  server = await scene.serve()
})
afterAll(() => scene.close())

const at = (path: string): string => new URL(path, server.url).href

describe.each([['legacy'], [{ pin: '2026-07-28' }]] as const)('a client of the era %j', (mode) => {
  async function connected(headers: Record<string, string>): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }))
    return client
  }

  test.each(['ann', 'ben'])('is %s by its token, with and without saying so', async (id) => {
    const other = id === 'ann' ? 'ben' : 'ann'
    const token = { Authorization: `Bearer ${tokenOf(id)}` }
    for (const headers of [token, { ...token, 'X-MCP-Caller-Id': id }]) {
      const client = await connected(headers)
      const who = await client.callTool({ name: 'get_caller_identity', arguments: {} })
      expect(who.structuredContent).toMatchObject({ caller_id: id })
      const own = await client.callTool({ name: 'list_messages', arguments: { ...inbox(id) } })
      expect(JSON.stringify(own)).toContain(canaryOf(id))
      const foreign = await client.callTool({ name: 'list_messages', arguments: { ...inbox(other) } })
      expect(foreign.structuredContent).toMatchObject({ decision: 'DENY', reason: 'account_hidden' })
      expect(JSON.stringify(foreign)).not.toContain('canary')
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('describe_policy')
      await client.close()
    }
  })

  test.each([
    ['another caller’s name', { 'X-MCP-Caller-Id': 'ben' }],
    ['an unknown name', { 'X-MCP-Caller-Id': 'eve' }],
    ['no name at all', { 'X-MCP-Caller-Id': '' }],
    ['a wrong token', { Authorization: 'Bearer nonsense' }],
    ['no token', { Authorization: '' }],
  ])('with %s is not let in', async (_what, wrong) => {
    await expect(connected({ Authorization: `Bearer ${tokenOf('ann')}`, ...wrong })).rejects.toThrow()
  })
})

test.each<[string, Record<string, string>, string]>([
  ['no token', {}, 'no_bearer_token'],
  ['an empty token', { Authorization: 'Bearer ' }, 'no_bearer_token'],
  ['another scheme', { Authorization: `Basic ${btoa(`ann:${tokenOf('ann')}`)}` }, 'no_bearer_token'],
  ['two tokens', { Authorization: `Bearer ${tokenOf('ann')}, Bearer ${tokenOf('ben')}` }, 'no_bearer_token'],
  ['a wrong token', { Authorization: 'Bearer nonsense' }, 'wrong_token'],
  ['a token cut short', { Authorization: `Bearer ${tokenOf('ann').slice(0, -1)}` }, 'wrong_token'],
  ['a token in other letters', { Authorization: `Bearer ${tokenOf('ann').toUpperCase()}` }, 'wrong_token'],
  ['a stranger’s name', { Authorization: `Bearer ${tokenOf('ann')}`, 'X-MCP-Caller-Id': 'eve' }, 'unknown_caller_id'],
  ['another’s name', { Authorization: `Bearer ${tokenOf('ann')}`, 'X-MCP-Caller-Id': 'ben' }, 'identity_mismatch'],
])('%s: the answer is always the same, the record knows why', async (_what, headers, reason) => {
  const { Authorization: _none, ...usual } = headersFor('')
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { ...usual, ...headers },
    body: JSON.stringify(toolCall(1, 'list_accounts')),
  })
  expect([response.status, await response.text()]).toEqual([401, '{"error":"auth_failed"}'])
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer realm="postern", resource_metadata="${at('/.well-known/oauth-protected-resource/mcp')}"`,
  )
  const record = (await scene.records()).findLast(({ tool }) => tool === 'auth_failed')
  expect(record).toMatchObject({ reason, caller_id: 'unknown', decision: 'DENY', result: 'DENIED' })
  expect(record?.caller_addr).toContain('127.0.0.1')
})

test('the token may be in the header of any letter case, but nowhere else', async () => {
  const body = JSON.stringify(toolCall(1, 'get_caller_identity'))
  const { Authorization: _none, ...usual } = headersFor('')
  const post = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(at(path), { method: 'POST', headers: { ...usual, ...headers }, body })
  expect((await post('/mcp', { authorization: `bearer ${tokenOf('ann')}` })).status).toBe(200)
  for (const path of [`/mcp?access_token=${tokenOf('ann')}`, `/mcp?token=${tokenOf('ann')}`]) {
    expect((await post(path, {})).status).toBe(401)
  }
  expect((await post('/mcp', { Cookie: `token=${tokenOf('ann')}` })).status).toBe(401)
  expect((await post('/mcp', { 'X-Api-Key': tokenOf('ann') })).status).toBe(401)
})

test('what a request claims in its body changes nothing', async () => {
  const claims = { caller_id: 'ben', 'io.modelcontextprotocol/clientInfo': { name: 'ben', version: '1' } }
  const call = { name: 'get_caller_identity', arguments: {}, _meta: claims, caller_id: 'ben' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const response = await fetch(server.url, { method: 'POST', headers: headersFor(tokenOf('ann')), body })
  const text = await response.text()
  expect(text).toContain('"caller_id":"ann"')
  expect(text).not.toContain('ben')
})

test('calls are on record under their caller and its address', async () => {
  await callOverHttp(server.url, tokenOf('ben'), 'list_accounts')
  const record = (await scene.records()).findLast(({ tool }) => tool === 'list_accounts')
  expect(record).toMatchObject({ caller_id: 'ben', caller_addr: '127.0.0.1', decision: 'ALLOW' })
})

test('two callers with one token between them cannot be served', async () => {
  const twins = await startScene()
  await twins.write({ 'secrets/callers/ben': tokenOf('ann') })
  const refused = twins.start(['--transport', 'http', '--port', '0'])
  expect(await refused.exitCode()).toBe(1)
  expect(refused.errors).toBe('postern: callers "ann" and "ben" have the same token; give each its own\n')
  await twins.close()
})

test('a token that no header could carry cannot be served', async () => {
  const odd = await startScene()
  await odd.write({ 'secrets/callers/ben': 'two words' })
  const refused = odd.start(['--transport', 'http', '--port', '0'])
  expect(await refused.exitCode()).toBe(1)
  expect(refused.errors).toMatch(/^postern: the token of caller "ben" cannot be sent in a header; /)
  expect(refused.errors).not.toContain('two words')
  await odd.close()
})

test('no token is ever printed', async () => {
  const all = server.process.errors + server.process.output + JSON.stringify(await scene.records())
  expect(all).not.toContain('token-of')
})

test('each sees the mail of its own account', async () => {
  for (const id of ['ann', 'ben']) {
    expect(subjectsOf(await callOverHttp(server.url, tokenOf(id), 'list_messages', inbox(id)))).toEqual([canaryOf(id)])
  }
})
