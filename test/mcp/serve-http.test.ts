/** `postern serve --transport http` and `postern demo` from the command's side. */
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { DEFAULT_SERVE, USUAL_PORT } from '../../src/surfaces/cli/choices.ts'
import { demo, type OpenedDemo } from '../../src/surfaces/cli/demo.ts'
import { serve } from '../../src/surfaces/cli/serve.ts'
import { caller, FakeGate, fakeParts, fakeSet } from './fake-set.ts'

const visitor = { caller, sets: [fakeSet] }
let closed = 0
const opened = (): OpenedDemo => ({
  kind: 'open',
  parts: fakeParts(new FakeGate()),
  visitor,
  authenticate: async () => ({ kind: 'visitor', visitor }),
  token: 'demo-token',
  directory: '/tmp/postern-demo-x',
  close: async () => {
    closed += 1
  },
})

function scene() {
  const words = { printed: '', complained: '' }
  let stop = (): void => {}
  const listening = Promise.withResolvers<void>()
  return {
    words,
    stop: () => stop(),
    listening: listening.promise,
    streams: { input: new PassThrough(), output: new PassThrough() },
    terminal: {
      print: (text: string) => {
        words.printed += text
      },
      complain: (text: string) => {
        words.complained += text
      },
    },
    onStop: (callback: () => void) => {
      stop = callback
      listening.resolve()
    },
  }
}
afterEach(() => {
  closed = 0
})

test('serve says where it listens, answers there, and ends with 0 when it is told to', async () => {
  const here = scene()
  const code = serve({ ...DEFAULT_SERVE, transport: 'http', port: 0 }, { ...here, open: async () => opened() })
  await here.listening
  const [, url] = /serving MCP at (\S+)\/mcp\n$/.exec(here.words.complained) ?? []
  expect((await fetch(`${url}/health`)).status).toBe(200)
  here.stop()
  expect([await code, closed, here.words.printed]).toEqual([0, 1, ''])
})

test('a port in use ends serve with 1 and a sentence, with everything closed', async () => {
  const first = scene()
  const code = serve({ ...DEFAULT_SERVE, transport: 'http', port: 0 }, { ...first, open: async () => opened() })
  await first.listening
  const port = Number(/:([0-9]+)\/mcp/.exec(first.words.complained)?.[1])
  const second = scene()
  expect(await serve({ ...DEFAULT_SERVE, transport: 'http', port }, { ...second, open: async () => opened() })).toBe(1)
  expect(second.words.complained).toContain('is already in use')
  expect(closed).toBe(1)
  first.stop()
  await code
})

test('a failure to open is told on stderr, and to a stdio client as its first answer', async () => {
  const here = scene()
  const open = async (): Promise<never> => {
    throw new Failure('invalid_input', 'MAIL_IMAP_WORK_PORT must be a number')
  }
  here.streams.input.end('{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n')
  expect(await serve(DEFAULT_SERVE, { ...here, open })).toBe(1)
  expect(here.words.complained).toBe('postern: MAIL_IMAP_WORK_PORT must be a number\n')
  expect(JSON.parse(String(here.streams.output.read()))).toMatchObject({ id: 1, error: { code: -32002 } })
})

const program = 'npx postern'

test('the demo prints its address, its token and something for every client', async () => {
  const here = scene()
  const command = { command: 'node', args: ['bin/postern.mjs', 'demo', '--stdio'] }
  const code = demo({ stdio: false, port: 0 }, { ...here, open: async () => opened(), command, program })
  await here.listening
  for (const words of ['/mcp', 'demo-token', 'Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'claude mcp add']) {
    expect(here.words.printed).toContain(words)
  }
  expect(here.words.printed).toContain('POSTERN_DATA_DIR=/tmp/postern-demo-x npx postern outbox\n')
  expect(here.words.printed).toMatch(/^Claude Desktop .*a mailbox of its own/m)
  expect(here.words.printed.match(/a mailbox of its own/g)).toHaveLength(1)
  here.stop()
  expect([await code, closed]).toEqual([0, 1])
})

test('the demo finds another port where the usual one is taken, unless it was told which', async () => {
  const command = { command: 'node', args: [] }
  const blocker = createServer().listen(USUAL_PORT, '127.0.0.1')
  blocker.on('error', () => {})
  const here = scene()
  const code = demo({ stdio: false }, { ...here, open: async () => opened(), command, program })
  await here.listening
  expect(here.words.printed).toMatch(/http:\/\/127\.0\.0\.1:[0-9]+\/mcp/)
  here.stop()
  expect(await code).toBe(0)
  const told = scene()
  expect(
    await demo({ stdio: false, port: USUAL_PORT }, { ...told, open: async () => opened(), command, program }),
  ).toBe(1)
  expect(told.words.complained).toContain(`port ${USUAL_PORT} is already in use`)
  blocker.close()
})

test('the demo over stdio prints nothing beside the protocol, and tells the log where its letters wait', async () => {
  const here = scene()
  here.streams.input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  const command = { command: 'node', args: [] }
  expect(await demo({ stdio: true, port: 0 }, { ...here, open: async () => opened(), command, program })).toBe(0)
  expect(here.words.printed).toBe('')
  expect(here.words.complained).toMatch(/^postern: .* POSTERN_DATA_DIR=\/tmp\/postern-demo-x npx postern outbox\n$/)
  expect(JSON.parse(String(here.streams.output.read()))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
})
