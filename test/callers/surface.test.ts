/** All that somebody without a token can make an HTTP server answer, byte by byte. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpServer, type Scene, startScene, tokenOf } from './scene.ts'
import { toolCall } from './tool-calls.ts'

let scene: Scene
let server: HttpServer

beforeAll(async () => {
  scene = await startScene()
  server = await scene.serve(undefined, {
    POSTERN_HTTP_ALLOWED_HOSTS: 'Mail.Example.com:443, other.example',
    POSTERN_HTTP_ALLOWED_ORIGINS: 'http://localhost:6274',
  })
})
afterAll(() => scene.close())

/** Sends exactly these bytes and returns all that comes back until the server hangs up. */
async function raw(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk
  })
  socket.on('error', () => undefined)
  socket.write(text, 'latin1')
  await new Promise((resolve) => socket.once('close', resolve))
  return heard
}

function request(line: string, headers: readonly string[] = ['Host: localhost'], body = ''): string {
  return `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`
}

const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']
const PATHS = [
  '/mcp',
  '/mcp/',
  '/MCP',
  '//mcp',
  '/./mcp',
  '/x/../mcp',
  '/%6dcp',
  '/mcp%00',
  '/mcp;x=1',
  '/mcp?x=/health',
  '/%2e%2e/mcp',
  '/health/',
  '/Health',
  '//health',
  '/health/..',
  '/health/%2e%2e/mcp',
  '/health%2f..%2fmcp',
  '/health%00',
  '/.well-known/',
  '/.well-known/oauth-protected-resource/',
  '/.well-known/oauth-protected-resource/mcp/',
  '/.well-known/oauth-protected-resource/mcp/x',
  '/.well-known/oauth-protected-resource/../../mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/authorize',
  '/token',
  '/register',
  '/sse',
  '/messages',
  '/admin',
  '/metrics',
  '/debug/pprof',
  '/package.json',
  '/favicon.ico',
  '/%',
  '/%zz',
  '/%c0%ae%c0%ae/',
]

describe('without a token', () => {
  test.each(METHODS)('%s is refused everywhere but at the open doors', async (method) => {
    const answers = await Promise.all(PATHS.map((path) => raw(request(`${method} ${path} HTTP/1.1`))))
    const opened = answers.map((answer, index) => [PATHS[index], ...statuses(answer)])
    expect(opened.filter(([, ...found]) => found.length !== 1 || ![401, 403, 404].includes(Number(found[0])))).toEqual(
      [],
    )
    // What the bytes become before they are a path must not open a door: what is open says only what all may know.
    for (const answer of answers) expect(answer).not.toMatch(/"(tools|result|serverInfo|caller)/)
  })

  test.each([
    ['/health', '{"ok":true}'],
    ['/health?x=1', '{"ok":true}'],
    ['/.well-known/oauth-protected-resource', '"resource_name":"Postern"'],
    ['/.well-known/oauth-protected-resource/mcp', '"resource_name":"Postern"'],
  ])('%s answers GET and HEAD, and nothing else', async (path, body) => {
    const answers = await Promise.all(METHODS.map((method) => raw(request(`${method} ${path} HTTP/1.1`))))
    expect(answers.flatMap(statuses)).toEqual([200, 200, ...METHODS.slice(2).map(() => 401)])
    expect(answers[0]).toContain(body)
    expect(answers[1]).toMatch(/\r\n\r\n$/)
  })

  test('the root leads GET and HEAD to the console, and nobody else anywhere', async () => {
    const answers = await Promise.all(METHODS.map((method) => raw(request(`${method} / HTTP/1.1`))))
    const [get = '', head = '', ...others] = answers
    for (const answer of [get, head]) expect(answer).toMatch(/^HTTP\/1\.1 302 [\s\S]*\r\nlocation: \/console\/\r\n/i)
    for (const answer of others) expect([401, 403, 404, 405]).toContain(statuses(answer)[0])
  })

  test('the resource metadata names the server and nothing else', async () => {
    for (const suffix of ['', '/mcp']) {
      const response = await fetch(new URL(`/.well-known/oauth-protected-resource${suffix}`, server.url))
      const metadata = { resource: server.url, resource_name: 'Postern', bearer_methods_supported: ['header'] }
      expect(await response.json()).toEqual(metadata)
    }
  })

  test('no header of an answer tells of the program', async () => {
    const answer = await raw(request('GET /health HTTP/1.1'))
    expect(answer).not.toMatch(/^(x-powered-by|server|access-control-[a-z-]*|set-cookie):/im)
  })

  test('a preflight of a strange page is refused, and one of its own pages gets no permission', async () => {
    const ask = ['Host: localhost', 'Access-Control-Request-Method: POST']
    expect(statuses(await raw(request('OPTIONS /mcp HTTP/1.1', [...ask, 'Origin: https://evil.example'])))).toEqual([
      403,
    ])
    expect(statuses(await raw(request('OPTIONS /mcp HTTP/1.1', [...ask, 'Origin: http://localhost:3000'])))).toEqual([
      403,
    ])
    const local = await raw(request('OPTIONS /mcp HTTP/1.1', [...ask, `Origin: http://localhost:${server.port}`]))
    expect(statuses(local)).toEqual([401])
    expect(local).not.toMatch(/access-control-allow/i)
  })
})

describe('who the request says it is for', () => {
  test.each<[string, string[], number[]]>([
    ['a strange host', ['Host: evil.example'], [403]],
    ['a strange host with our port', ['Host: evil.example:8025'], [403]],
    ['a host that begins like ours', ['Host: localhost.evil.example'], [403]],
    ['a host that ends like ours', ['Host: evil-localhost'], [403]],
    ['an address written as a number', ['Host: 2130706434'], [403]],
    ['two hosts, ours first', ['Host: localhost', 'Host: evil.example'], [400, 403]],
    ['two hosts, ours last', ['Host: evil.example', 'Host: localhost'], [400, 403]],
    ['no host', [], [400]],
    ['an empty host', ['Host:'], [400, 403]],
    ['a host with a space', ['Host: local host'], [400, 403]],
    ['a strange origin', ['Host: localhost', 'Origin: https://evil.example'], [403]],
    ['a strange origin with a host like ours', ['Host: localhost', 'Origin: http://localhost.evil.example'], [403]],
    ['an opaque origin', ['Host: localhost', 'Origin: null'], [403]],
    ['two origins', ['Host: localhost', 'Origin: http://localhost', 'Origin: https://evil.example'], [403]],
    ['a forwarded host', ['Host: evil.example', 'X-Forwarded-Host: localhost'], [403]],
    ['localhost', ['Host: localhost:1'], [200]],
    ['127.0.0.1', ['Host: 127.0.0.1'], [200]],
    ['another port of this machine', ['Host: 127.0.0.1', 'Origin: http://127.0.0.1:6274'], [403]],
    ['a configured origin', ['Host: 127.0.0.1', 'Origin: http://localhost:6274'], [200]],
    ['::1', ['Host: [::1]:8025'], [200]],
    ['a configured name', ['Host: mail.example.com'], [200]],
    ['another one, in capitals', ['Host: OTHER.example:8443', 'Origin: https://other.example'], [200]],
  ])('%s', async (_what, headers, allowed) => {
    const [status = 0] = statuses(await raw(request('GET /health HTTP/1.1', headers)))
    expect(allowed).toContain(status)
  })

  test.each([
    ['GET http://evil.example/health HTTP/1.1', 403],
    ['GET http://localhost@evil.example/health HTTP/1.1', 403],
    ['GET http://localhost/health HTTP/1.1', 200],
    ['GET http://localhost/mcp HTTP/1.1', 401],
    ['GET https://evil.example:443/mcp HTTP/1.1', 403],
    ['GET ftp://localhost/health HTTP/1.1', 400],
    ['GET * HTTP/1.1', 400],
    ['GET /\u00e4 HTTP/1.1', 400],
    ['GET /a b HTTP/1.1', 400],
    ['GET /health\\..\\mcp HTTP/1.1', 400],
  ])('%s is %i', async (line, status) => {
    expect(statuses(await raw(request(line)))).toEqual([status])
  })
})

describe('bytes that no good client sends', () => {
  const token = `Authorization: Bearer ${tokenOf('ann')}`
  const json = ['Host: localhost', 'Content-Type: application/json', 'Accept: application/json, text/event-stream']
  const body = JSON.stringify(toolCall(1, 'get_caller_identity'))
  const hidden = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

  test.each<[string, string]>([
    [
      'length and chunks at once',
      request(
        'POST /mcp HTTP/1.1',
        [...json, token, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
        `0\r\n\r\n${hidden}`,
      ),
    ],
    [
      'chunks and length at once',
      request(
        'POST /mcp HTTP/1.1',
        [...json, token, 'Transfer-Encoding: chunked', 'Content-Length: 5'],
        `0\r\n\r\n${hidden}`,
      ),
    ],
    [
      'two lengths',
      request('POST /mcp HTTP/1.1', [...json, token, 'Content-Length: 2', 'Content-Length: 60'], `{}${hidden}`),
    ],
    [
      'a length that is no number',
      request('POST /mcp HTTP/1.1', [...json, token, 'Content-Length: +2'], `{}${hidden}`),
    ],
    [
      'an unknown coding',
      request('POST /mcp HTTP/1.1', [...json, token, 'Transfer-Encoding: xchunked'], `0\r\n\r\n${hidden}`),
    ],
    [
      'a coding with a space before the colon',
      request('POST /mcp HTTP/1.1', [...json, token, 'Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`),
    ],
    [
      'a chunk size that is no number',
      request('POST /mcp HTTP/1.1', [...json, token, 'Transfer-Encoding: chunked'], `zz\r\n{}\r\n0\r\n\r\n${hidden}`),
    ],
    [
      'a header line that is folded',
      request('POST /mcp HTTP/1.1', [...json, 'X-A: b', ' c: d', token, 'Content-Length: 0']),
    ],
    ['a bare line feed', `GET /health HTTP/1.1\nHost: localhost\n\n${hidden}`],
    ['a null in a header', request('GET /health HTTP/1.1', ['Host: localhost', 'X-A: \0'])],
    ['no HTTP at all', 'EHLO localhost\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'.padEnd(170, '\x01')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a future version', request('GET /health HTTP/9.9')],
  ])('%s: one refusal, and what was hidden behind it is not answered', async (_what, bytes) => {
    const answer = await raw(bytes)
    expect(statuses(answer).filter((status) => status !== 400 && status !== 505)).toEqual([])
    expect(statuses(answer).length).toBeLessThanOrEqual(1)
    expect(answer).not.toContain('"ok"')
  })

  test('a very long address or header is refused', async () => {
    const long = 'x'.repeat(20_000)
    expect(statuses(await raw(request(`GET /${long} HTTP/1.1`)))).toEqual([431])
    expect(statuses(await raw(request('GET /health HTTP/1.1', ['Host: localhost', `X-A: ${long}`])))).toEqual([431])
    expect(statuses(await raw(request(`GET /${'x'.repeat(12_000)} HTTP/1.1`)))).toEqual([401])
  })

  test('HTTP/1.0 is answered with a host, and refused without one', async () => {
    expect(statuses(await raw(request('GET /health HTTP/1.0')))).toEqual([200])
    expect(statuses(await raw(request('GET /mcp HTTP/1.0')))).toEqual([401])
    expect(statuses(await raw(request('GET /health HTTP/1.0', [])))).toEqual([400])
  })

  test('requests one after the other on a connection are each judged by their own token', async () => {
    const post = (authorization: string): string =>
      [`POST /mcp HTTP/1.1`, ...json, authorization, `Content-Length: ${body.length}`].join('\r\n')
    const several = [token, 'X-None: 1', `Authorization: Bearer ${tokenOf('ben')}`, 'Authorization: Bearer wrong']
    const bytes = several.map((line) => `${post(line)}\r\n\r\n${body}`).join('') + request('GET /health HTTP/1.1')
    const answers = await raw(bytes)
    expect(statuses(answers)).toEqual([200, 401, 200, 401, 200])
    expect([...answers.matchAll(/"caller_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(
      expect.arrayContaining(['ann', 'ben']),
    )
  })

  test('a body in chunks is read', async () => {
    const [one, two] = [body.slice(0, 9), body.slice(9)]
    const chunks = `9\r\n${one}\r\n${two.length.toString(16)}\r\n${two}\r\n0\r\n\r\n`
    const answer = await raw(request('POST /mcp HTTP/1.1', [...json, token, 'Transfer-Encoding: chunked'], chunks))
    expect(statuses(answer)).toEqual([200])
    expect(answer).toContain('"caller_id":"ann"')
  })

  test('a body that is too large is refused, from a stranger before it is read', async () => {
    const size = 4 * 1024 * 1024 + 1
    const head = (line: string): string => request('POST /mcp HTTP/1.1', [...json, line, `Content-Length: ${size}`])
    expect(statuses(await raw(head('X-None: 1')))).toEqual([401])
    expect(statuses(await raw(`${head(token)}{"jsonrpc":`))).toEqual([413])
  })

  test('an upgrade and a tunnel lead nowhere', async () => {
    const upgrade = ['Host: localhost', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA==', 'Sec-WebSocket-Version: 13']
    const line = 'GET /mcp HTTP/1.1'
    const asked = await raw(`${[line, ...upgrade, 'Connection: Upgrade, close'].join('\r\n')}\r\n\r\n`)
    expect(statuses(asked)).toEqual([401])
    expect(statuses(await raw(request('CONNECT evil.example:25 HTTP/1.1')))).not.toContain(200)
  })

  test('after all this it still answers', async () => {
    expect(statuses(await raw(request('GET /health HTTP/1.1')))).toEqual([200])
    expect(server.process.child.exitCode).toBeNull()
    expect(server.process.errors).not.toContain('something unexpected')
  })
})
