/** Who may knock at the HTTP door, and what the others hear. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { authenticateByToken, type RefusalReason } from '../../src/surfaces/mcp/bearer.ts'
import { type HttpService, serveOverHttp } from '../../src/surfaces/mcp/http.ts'
import type { HttpParts } from '../../src/surfaces/mcp/http-app.ts'
import { caller, FakeGate, fakeParts, fakeSet } from './fake-set.ts'
import { call } from './raw-process.ts'

const TOKENS = { alice: 'alice-token', bob: 'bob-token' }
const refusals: RefusalReason[] = []
let gate: FakeGate
let service: HttpService

function parts(): HttpParts {
  gate = new FakeGate()
  const holders = Object.entries(TOKENS).map(([id, token]) => ({
    id,
    token,
    visit: (address: string) => ({ caller: { ...caller, id, address }, sets: [fakeSet] }),
  }))
  const authenticate = authenticateByToken(
    () => holders,
    async (reason) => void refusals.push(reason),
  )
  return {
    ...fakeParts(gate),
    authenticate,
    allowedHosts: ['mail.example.com'],
    allowedOrigins: ['http://localhost:6274'],
  }
}

beforeAll(async () => {
  service = await serveOverHttp(parts(), { host: '127.0.0.1', port: 0 })
})
afterAll(() => service.stop())
beforeEach(() => {
  refusals.length = 0
})

const at = (path: string): string => new URL(path, service.url).href
const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const as = (id: keyof typeof TOKENS): Record<string, string> => ({
  ...JSON_HEADERS,
  Authorization: `Bearer ${TOKENS[id]}`,
})

function post(body: unknown, headers: Record<string, string>, path = '/mcp'): Promise<Response> {
  return fetch(at(path), { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

/** Exactly these bytes; fetch would mend a Host header. */
async function raw(head: string[]): Promise<string> {
  const socket = connect(service.port, '127.0.0.1')
  socket.setEncoding('utf8').write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  let text = ''
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

test('anyone may ask whether it is alive, and learns nothing else', async () => {
  const response = await fetch(at('/health'))
  expect([response.status, await response.text()]).toEqual([200, '{"ok":true}'])
})

test.each(['', '/mcp'])('anyone may read the resource metadata%s', async (suffix) => {
  const response = await fetch(at(`/.well-known/oauth-protected-resource${suffix}`))
  expect(await response.json()).toEqual({
    resource: service.url,
    resource_name: 'Postern',
    bearer_methods_supported: ['header'],
  })
})

test.each<[string, Record<string, string>, RefusalReason]>([
  ['no token', {}, 'no_bearer_token'],
  ['another scheme', { Authorization: 'Basic YTpi' }, 'no_bearer_token'],
  ['a wrong token', { Authorization: 'Bearer nonsense' }, 'wrong_token'],
  ['an unknown caller', { Authorization: 'Bearer alice-token', 'X-MCP-Caller-Id': 'carol' }, 'unknown_caller_id'],
  ['another caller’s token', { Authorization: 'Bearer alice-token', 'X-MCP-Caller-Id': 'bob' }, 'identity_mismatch'],
])('%s is refused in the same words, and only the record knows why', async (_what, headers, reason) => {
  const response = await post(call(1, 'a'), { ...JSON_HEADERS, ...headers })
  expect([response.status, await response.json()]).toEqual([401, { error: 'auth_failed' }])
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer realm="postern", resource_metadata="${at('/.well-known/oauth-protected-resource/mcp')}"`,
  )
  expect([refusals, gate.calls]).toEqual([[reason], []])
})

test.each(['/', '/mcp/x', '/admin', '/health/x', '/.well-known/x'])(
  '%s is 401 for strangers and 404 for callers',
  async (path) => {
    expect((await fetch(at(path))).status).toBe(401)
    expect((await fetch(at(path), { headers: as('alice') })).status).toBe(404)
  },
)

test.each(['GET', 'DELETE', 'PUT'])('%s /mcp is not allowed: there are no sessions', async (method) => {
  expect((await fetch(at('/mcp'), { method, headers: as('alice') })).status).toBe(405)
})

test('each caller is itself', async () => {
  gate.calls.length = 0
  const both = [post(call(1, 'a'), as('alice')), post(call(1, 'a'), { ...as('bob'), 'X-MCP-Caller-Id': 'bob' })]
  for (const response of await Promise.all(both)) expect(await response.text()).toContain('"ended":"denied"')
  expect(gate.calls.map(({ caller }) => caller).sort()).toEqual(['alice', 'bob'])
})

test.each([
  ['a strange host', ['GET /health HTTP/1.1', 'Host: evil.example'], 403],
  ['a strange host on our port', ['GET /health HTTP/1.1', 'Host: evil.example:8025'], 403],
  ['a host that only begins like ours', ['GET /health HTTP/1.1', 'Host: localhost.evil.example'], 403],
  ['a strange origin', ['GET /health HTTP/1.1', 'Host: localhost', 'Origin: https://evil.example'], 403],
  ['an opaque origin', ['GET /health HTTP/1.1', 'Host: localhost', 'Origin: null'], 403],
  ['no host', ['GET /health HTTP/1.1'], 400],
  ['localhost', ['GET /health HTTP/1.1', 'Host: localhost:1'], 200],
  ['a configured origin', ['GET /health HTTP/1.1', 'Host: localhost', 'Origin: http://localhost:6274'], 200],
  ['the origin of a proxy', ['GET /health HTTP/1.1', 'Host: localhost', 'Origin: https://mail.example.com'], 200],
  ['another port of a proxy', ['GET /health HTTP/1.1', 'Host: localhost', 'Origin: https://mail.example.com:1'], 403],
  ['::1', ['GET /health HTTP/1.1', 'Host: [::1]:8025'], 200],
  ['a configured host', ['GET /health HTTP/1.1', 'Host: mail.example.com'], 200],
])('%s is answered as it should be', async (_what, head, status) => {
  expect(await raw(head)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})

test.each(['localhost', '127.0.0.1', '[::1]'])('only its own port of %s is an origin of its own', async (name) => {
  const from = async (origin: string): Promise<number> =>
    (await post(call(1, 'a'), { ...as('alice'), Origin: origin })).status
  expect(await from(`http://${name}:${service.port}`)).toBe(200)
  expect(await from(`http://${name}:${service.port + 1}`)).toBe(403)
  expect(await from(`http://${name}`)).toBe(403)
  expect(await from(`https://${name}:3000`)).toBe(403)
})

test('a trailing slash makes no difference', async () => {
  gate.calls.length = 0
  expect((await post(call(1, 'a'), as('alice'), '/mcp/')).status).toBe(200)
  expect(gate.calls.map(({ caller }) => caller)).toEqual(['alice'])
  expect((await post(call(1, 'a'), JSON_HEADERS, '/mcp/')).status).toBe(401)
  expect((await fetch(at('/mcp/'), { headers: as('alice') })).status).toBe(405)
})

test('a body over 4 MB is refused, also one that does not say its length', async () => {
  const body = JSON.stringify(call(1, 'x'.repeat(4 * 1024 * 1024)))
  expect((await post(body, as('alice'))).status).toBe(413)
  const stream = new Blob([body]).stream()
  const init = { method: 'POST', headers: as('alice'), body: stream, duplex: 'half' }
  expect((await fetch(at('/mcp'), init as RequestInit)).status).toBe(413)
})

test.each([
  ['{', 400, -32700],
  ['', 400, -32700],
  ['"text"', 400, undefined],
])('the body %j is %i', async (body, status, code) => {
  const response = await post(body, as('alice'))
  expect(response.status).toBe(status)
  if (code !== undefined) expect(await response.json()).toMatchObject({ id: null, error: { code } })
})

test('another content type is not read', async () => {
  expect((await post(call(1, 'a'), { ...as('alice'), 'Content-Type': 'text/plain' })).status).toBe(415)
})

test('clients that dawdle do not hold up others', async () => {
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKENS.alice}\r\nContent-Type: application/json\r\n`
  const sockets: Socket[] = []
  for (const text of Array.from({ length: 60 }, (_, n) =>
    n % 2 === 0 ? head : `${head}Content-Length: 1000\r\n\r\n{"js`,
  )) {
    const socket = connect(service.port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    sockets.push(socket)
  }
  const slow = post(call(1, 'slow500'), as('alice'))
  const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => post(call(id, 'a'), as('bob'))))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect((await slow).status).toBe(200)
  for (const socket of sockets) socket.destroy()
})

test('a port in use is said in words', async () => {
  await expect(serveOverHttp(parts(), { host: '127.0.0.1', port: service.port })).rejects.toMatchObject({
    code: 'unavailable',
    message: `127.0.0.1 port ${service.port} is already in use; stop what uses it or choose another with --port`,
  })
})

test('stopping answers what was asked and then lets nobody in', async () => {
  const short = await serveOverHttp(parts(), { host: '127.0.0.1', port: 0 })
  const answer = fetch(short.url, { method: 'POST', headers: as('alice'), body: JSON.stringify(call(1, 'slow300')) })
  await expect.poll(() => gate.calls.length).toBe(1)
  await short.stop()
  expect(await (await answer).text()).toContain('"ended":"denied"')
  await expect(fetch(short.url)).rejects.toThrow()
})
