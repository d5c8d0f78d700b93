/** What an ordinary MCP client sees: the same over stdio and over HTTP, in both protocol eras. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { type HttpService, serveOverHttp } from '../../src/surfaces/mcp/http.ts'
import { caller, FakeGate, fakeParts, fakeSet } from './fake-set.ts'
import { script } from './raw-process.ts'

const TOKEN = 'client-test-token'
const gate = new FakeGate()
let service: HttpService
let client: Client

beforeAll(async () => {
  const visitor = { caller, sets: [fakeSet] }
  const authenticate = async ({ authorization }: { authorization: string | undefined }) =>
    authorization === `Bearer ${TOKEN}` ? ({ kind: 'visitor', visitor } as const) : ({ kind: 'refused' } as const)
  service = await serveOverHttp({ ...fakeParts(gate), authenticate }, { host: '127.0.0.1', port: 0 })
})
afterAll(() => service.stop())
afterEach(() => client.close())

type Kind = 'stdio' | 'http'
type Era = 'legacy' | '2026-07-28'

async function connect(kind: Kind, era: Era): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : { pin: era }
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = { Authorization: `Bearer ${TOKEN}` }
  const transport =
    kind === 'stdio'
      ? new StdioClientTransport({ command: process.execPath, args: [script('stdio-server.ts')] })
      : new StreamableHTTPClientTransport(new URL(service.url), { requestInit: { headers } })
  await client.connect(transport)
  return client
}

const EVERYWHERE: [Kind, Era][] = [
  ['stdio', 'legacy'],
  ['stdio', '2026-07-28'],
  ['http', 'legacy'],
  ['http', '2026-07-28'],
]

test.each(EVERYWHERE)('a client lists and calls tools: %s, %s', async (kind, era) => {
  await connect(kind, era)
  expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} })
  expect(client.getInstructions()).toBe('A server for tests.')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['echo', 'erase'])
  expect(tools[0]).toMatchObject({ title: 'Echo', annotations: { readOnlyHint: true } })
  const result = await client.callTool({ name: 'echo', arguments: { account: 'work' } })
  expect(result).toMatchObject({ structuredContent: { account: 'work', ended: 'denied' }, isError: false })
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
})

test.each(EVERYWHERE)('errors arrive with their code, words and data: %s, %s', async (kind, era) => {
  await connect(kind, era)
  await expect(client.callTool({ name: 'echo', arguments: { account: 'absent' } })).rejects.toMatchObject({
    code: -32002,
    message: expect.stringContaining('no such account'),
    data: { code: 'not_found' },
  })
  await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
  await expect(client.callTool({ name: 'echo', arguments: { account: 'broken' } })).rejects.toMatchObject({
    code: -32603,
    message: expect.not.stringContaining('secret'),
  })
})

test.each(EVERYWHERE)('resources can be found and read: %s, %s', async (kind, era) => {
  await connect(kind, era)
  expect((await client.listResources()).resources).toEqual([])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'fake://{account}/text', name: 'text', title: 'Text' }])
  const text = await client.readResource({ uri: 'fake://work/text' })
  expect(text.contents).toEqual([{ uri: 'fake://work/text', mimeType: 'text/plain', text: 'about work' }])
  const bytes = await client.readResource({ uri: 'fake://work/bytes' })
  expect(bytes.contents).toMatchObject([{ mimeType: 'application/octet-stream', blob: 'AQL/' }])
  await expect(client.readResource({ uri: 'fake://?' })).rejects.toMatchObject({ code: -32002 })
})

test('a client that can do both finds the stateless revision', async () => {
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [script('stdio-server.ts')] }))
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
})

test.each<Era>(['legacy', '2026-07-28'])(
  'a call that an HTTP client gives up reaches the gate as cancelled: %s',
  async (era) => {
    await connect('http', era)
    gate.cancelled.length = 0
    const before = gate.calls.length
    const leaving = new AbortController()
    const answer = client.callTool({ name: 'echo', arguments: { account: 'slow60000' } }, { signal: leaving.signal })
    await expect.poll(() => gate.calls.length).toBe(before + 1)
    leaving.abort()
    await expect(answer).rejects.toThrow()
    if (era === 'legacy') await client.close()
    await expect.poll(() => gate.cancelled).toEqual([expect.any(Failure)])
    expect(gate.cancelled[0]).toMatchObject({ code: 'cancelled' })
  },
)
