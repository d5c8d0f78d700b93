/** How a server process behaves on stdin and stdout, with well-behaved clients and with others. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { call, initialize, RawProcess, script } from './raw-process.ts'

let server: RawProcess
const start = (name = 'stdio-server.ts'): RawProcess => {
  server = new RawProcess([script(name)])
  return server
}
afterEach(() => server.kill())

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'the handshake of %s is answered',
  async (version) => {
    start().write(initialize(1, version), { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(await server.answer(1)).toMatchObject({
      result: {
        protocolVersion: version,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'postern', version: '0.0.0-test' },
        instructions: 'A server for tests.',
      },
    })
    expect(await server.end()).toBe(0)
  },
)

test('a version that nobody knows is answered with the latest handshake, also to a client that says nothing else', async () => {
  start().write({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '1999-01-01' } })
  expect(await server.answer(1)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
})

test('a request of the stateless revision is answered without any handshake', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  start().write({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
  expect(await server.answer(1)).toMatchObject({
    result: {
      tools: [{ name: 'echo' }, { name: 'erase' }],
      ttlMs: 300_000,
      cacheScope: 'private',
      resultType: 'complete',
    },
  })
  expect(await server.end()).toBe(0)
})

test('what cannot be read is an error with id null, and the next message is served', async () => {
  start().write(initialize(1), 'not json', '{"jsonrpc":"1.0","id":7,"method":"ping"}', '[]', '42', {
    jsonrpc: '2.0',
    id: 2,
    method: 'ping',
  })
  await server.answer(2)
  const errors = server.messages().filter((message) => 'error' in message)
  expect(errors).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 7, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
  ])
})

test('a message of more than 16 MB is refused and the next one served', async () => {
  start().write(initialize(1), 'x'.repeat(16 * 1024 * 1024 + 1), { jsonrpc: '2.0', id: 2, method: 'ping' })
  expect(await server.answer(2)).toMatchObject({ result: {} })
  expect(await server.answer(null)).toMatchObject({ error: { code: -32600, message: /at most 16777216 bytes/ } })
})

test('a bare initialized is no reason to complain, and shutdown is answered with an empty result', async () => {
  start().write(initialize(1), { jsonrpc: '2.0', method: 'initialized' }, { jsonrpc: '2.0', id: 2, method: 'shutdown' })
  expect(await server.answer(2)).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
  expect(server.messages()).toHaveLength(2)
})

test('a batch is answered as one', async () => {
  const batch = [
    call(2, 'slow50'),
    { jsonrpc: '2.0', id: 3, method: 'ping' },
    { jsonrpc: '2.0', method: 'initialized' },
  ]
  start().write(initialize(1, '2025-03-26'), batch)
  await server.until((output) => output.includes('\n['))
  expect(server.messages().at(-1)).toMatchObject([{ id: 3 }, { id: 2 }])
})

test('errors have the code and data that the tool set chose, and a bug keeps its words to itself', async () => {
  start().write(initialize(1), call(2, 'absent'), call(3, 'impossible'), call(4, 'broken'), call(5, 'buggy'), {
    jsonrpc: '2.0',
    id: 6,
    method: 'tools/call',
    params: { name: 'echo', arguments: { account: 'a', limit: 51 } },
  })
  const answers = await Promise.all([2, 3, 4, 5, 6].map((id) => server.answer(id)))
  expect(answers.map((answer) => answer['error'])).toEqual([
    { code: -32002, message: 'no such account', data: { code: 'not_found' } },
    { code: -32602, message: 'account must be possible', data: { code: 'invalid_input' } },
    { code: -32603, message: 'internal error' },
    { code: -32603, message: 'internal error' },
    { code: -32602, message: 'limit must be between 1 and 50; got 51', data: { code: 'invalid_input' } },
  ])
  expect(server.output).not.toContain('secret inner words')
})

test.each([
  [{ method: 'tools/call', params: { name: 'nothing' } }, 'unknown tool "nothing"'],
  [{ method: 'tools/call', params: { name: 'ehco' } }, 'unknown tool "ehco"; did you mean "echo"?'],
  [{ method: 'tools/call', params: {} }, 'name is required and must be a string'],
  [{ method: 'tools/call' }, 'name is required and must be a string'],
  [{ method: 'tools/call', params: { name: 'erase', arguments: 'x' } }, 'arguments must be an object; got "x"'],
  [{ method: 'resources/read', params: {} }, 'uri is required and must be a string'],
])('%j is -32602 %s', async (request, message) => {
  start().write(initialize(1), { jsonrpc: '2.0', id: 2, ...request })
  expect(await server.answer(2)).toMatchObject({ error: { code: -32602, message } })
})

test('a client that uses Content-Length is answered with it, byte for byte', async () => {
  const framed = (value: object): string => {
    const text = JSON.stringify(value)
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  start()
  const bytes = Buffer.from(
    framed(initialize(1)) + framed(call(2, 'é')) + framed({ jsonrpc: '2.0', id: 3, method: 'ping' }),
  )
  for (let at = 0; at < bytes.length; at += 100) server.child.stdin.write(bytes.subarray(at, at + 100))
  expect(await server.end()).toBe(0)
  const bodies: Record<string, unknown>[] = []
  let rest = Buffer.from(server.output)
  while (rest.length > 0) {
    const [header, length] = /^Content-Length: ([0-9]+)\r\n\r\n/.exec(rest.toString('latin1')) ?? ['', '0']
    expect(header).not.toBe('')
    bodies.push(JSON.parse(rest.subarray(header.length, header.length + Number(length)).toString()))
    rest = rest.subarray(header.length + Number(length))
  }
  expect(bodies.map(({ id }) => id).sort()).toEqual([1, 2, 3])
  expect(bodies.find(({ id }) => id === 2)).toMatchObject({ result: { structuredContent: { account: 'é' } } })
})

test('what was asked before the end of input is answered before the process ends', async () => {
  start().write(initialize(1), call(2, 'slow300'), call(3, 'slow10'))
  expect(await server.end()).toBe(0)
  expect(server.messages().map(({ id }) => id)).toEqual([1, 3, 2])
})

test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
  'on %s calls under way are finished and the exit code is 0',
  async (signal) => {
    start().write(initialize(1), call(2, 'slow300'))
    await server.answer(1)
    server.child.kill(signal)
    expect(await server.exitCode()).toBe(0)
    expect(await server.answer(2)).toMatchObject({ result: { structuredContent: { ended: 'denied' } } })
  },
)

test('a call that takes too long is cancelled when the process must end, and says so', async () => {
  start('hurried-server.ts').write(initialize(1), call(2, 'slow60000'))
  expect(await server.end()).toBe(0)
  expect(await server.answer(2)).toMatchObject({ result: { structuredContent: { ended: 'cancelled' } } })
})

test('a cancelled call is not answered and does not keep the process alive', async () => {
  start().write(initialize(1), call(2, 'slow60000'))
  await server.answer(1)
  server.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }, call(3, 'a'))
  await server.answer(3)
  expect(await server.end()).toBe(0)
  expect(server.messages().map(({ id }) => id)).toEqual([1, 3])
})

test('a client that stops reading ends the server without a fuss', async () => {
  start().write(initialize(1))
  await server.answer(1)
  server.child.stdout.destroy()
  server.write(...Array.from({ length: 50 }, (_, at) => call(at + 2, 'a')))
  expect(await server.exitCode()).toBe(0)
  expect(server.errors).toBe('')
})

test('two thousand calls at once are all answered', async () => {
  start().write(initialize(1), ...Array.from({ length: 2000 }, (_, at) => call(at + 2, 'slow20')))
  expect(await server.end()).toBe(0)
  expect(new Set(server.messages().map(({ id }) => id)).size).toBe(2001)
})

test.each(['lines', 'content-length'])(
  'a server that cannot start says why to the first request: %s',
  async (framing) => {
    start('refusing-server.ts')
    const text = JSON.stringify(initialize(9))
    server.child.stdin.write(framing === 'lines' ? `${text}\n` : `Content-Length: ${text.length}\r\n\r\n${text}`)
    expect(await server.exitCode()).toBe(1)
    expect(server.output).toContain('{"jsonrpc":"2.0","id":9,"error":{"code":-32002,"message":"no accounts"}}')
    expect(server.errors).toBe('postern: no accounts: the whole story\n')
  },
)

test('a server that cannot start waits for the first request, in however many pieces it comes', async () => {
  start('refusing-server.ts').write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const text = `${JSON.stringify(initialize(9))}\n`
  for (const piece of [text.slice(0, 20), text.slice(20, 40), text.slice(40)]) {
    await pause(200)
    server.child.stdin.write(piece)
  }
  expect(await server.exitCode()).toBe(1)
  expect(server.messages()).toEqual([{ jsonrpc: '2.0', id: 9, error: { code: -32002, message: 'no accounts' } }])
})

test('a server that cannot start and is never asked ends with its input', async () => {
  start('refusing-server.ts').write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect(await server.end()).toBe(1)
  expect(server.output).toBe('')
})
