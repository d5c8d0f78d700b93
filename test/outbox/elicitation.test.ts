/** A person asked through the agent's own program: only a plain yes, in time, to this very question is one. */

import { join } from 'node:path'
import {
  Client,
  type ClientCapabilities,
  InMemoryTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, expect, test } from 'vitest'
import { serveOverHttp } from '../../src/surfaces/mcp/http.ts'
import { OpenQuestions } from '../../src/surfaces/mcp/open-questions.ts'
import { makeServer } from '../../src/surfaces/mcp/server.ts'
import { AskingGate, askingParts, askingSet, caller, questionAbout } from './elicitation-gate.ts'

type Kind = 'stdio' | 'memory' | 'http'
type Era = 'legacy' | '2026-07-28'

const FORM: ClientCapabilities = { elicitation: {} }
const TOKEN = 'elicitation-test-token'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

let gate: AskingGate

async function transportTo(kind: Kind, patienceMs?: number): Promise<Transport> {
  const parts = askingParts(gate, patienceMs)
  const visitor = { caller, sets: [askingSet] }
  if (kind === 'stdio') {
    const args = [join(import.meta.dirname, 'elicitation-server.ts')]
    return new StdioClientTransport({ command: process.execPath, args })
  }
  if (kind === 'http') {
    const authenticate = async () => ({ kind: 'visitor', visitor }) as const
    const service = await serveOverHttp({ ...parts, authenticate }, { host: '127.0.0.1', port: 0 })
    closing.push(() => service.stop())
    const headers = { Authorization: `Bearer ${TOKEN}` }
    return new StreamableHTTPClientTransport(new URL(service.url), { requestInit: { headers } })
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const handle = serveStdio(({ era }) => makeServer(parts, visitor, era), { transport: theirs })
  closing.push(() => handle.close())
  return ours
}

interface Person {
  readonly capabilities?: ClientCapabilities
  readonly patienceMs?: number
  answers?(params: unknown): unknown
}

async function connect(kind: Kind, era: Era, person: Person): Promise<Client> {
  gate = new AskingGate()
  const mode = era === 'legacy' ? 'legacy' : { pin: era }
  const { capabilities = FORM, answers } = person
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities })
  if (answers !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => (await answers(params)) as never)
  }
  await client.connect(await transportTo(kind, person.patienceMs))
  closing.push(() => client.close())
  return client
}

async function heard(client: Client, letter = 'one'): Promise<string> {
  const { content } = await client.callTool({ name: 'send', arguments: { letter } })
  const [first] = content
  return first?.type === 'text' ? first.text : 'no text'
}

const YES = { action: 'accept', content: { approve: true } }
const ASKABLE: [Kind, Era][] = [
  ['stdio', 'legacy'],
  ['stdio', '2026-07-28'],
  ['memory', 'legacy'],
  ['memory', '2026-07-28'],
  ['http', '2026-07-28'],
]
const QUICK: [Kind, Era][] = [
  ['memory', 'legacy'],
  ['memory', '2026-07-28'],
]

test.each(ASKABLE)('a person reads the question and says yes: %s, %s', async (kind, era) => {
  const asked: unknown[] = []
  const client = await connect(kind, era, {
    answers: (params) => {
      asked.push(params)
      return YES
    },
  })
  expect(await heard(client)).toBe('accepted')
  const { title, text } = questionAbout('one')
  const properties = { approve: { type: 'boolean', title } }
  const requestedSchema = { type: 'object', properties, required: ['approve'] }
  expect(asked).toEqual([expect.objectContaining({ message: `${title}\n\n${text}`, requestedSchema })])
  expect(JSON.stringify(asked)).not.toContain('default')
})

test.each(ASKABLE)('a person says no: %s, %s', async (kind, era) => {
  const client = await connect(kind, era, { answers: () => ({ action: 'decline' }) })
  expect(await heard(client)).toBe('declined')
})

test.each(QUICK)('a box that is not ticked is a no, a window that is closed is nothing: %s, %s', async (kind, era) => {
  let answer: unknown = { action: 'accept', content: { approve: false } }
  const client = await connect(kind, era, { answers: () => answer })
  expect(await heard(client)).toBe('declined')
  answer = { action: 'cancel' }
  expect(await heard(client)).toBe('no_answer')
})

test.each<[Kind, Era, ClientCapabilities]>([
  ['stdio', 'legacy', {}],
  ['stdio', '2026-07-28', {}],
  ['memory', 'legacy', { elicitation: { url: {} } }],
  ['memory', '2026-07-28', { elicitation: { url: {} } }],
])('a client that cannot show a form is not asked: %s, %s, %j', async (kind, era, capabilities) => {
  const client = await connect(kind, era, { capabilities })
  expect(await heard(client)).toBe('cannot ask')
})

test('over HTTP with a handshake nobody can be asked: the next request is another one', async () => {
  const client = await connect('http', 'legacy', { answers: () => YES })
  expect(await heard(client)).toBe('cannot ask')
})

test.each(QUICK)(
  'what is only to be read has nothing to fill in, nobody waits for it, and a yes to it is none: %s, %s',
  async (kind, era) => {
    const asked: unknown[] = []
    const client = await connect(kind, era, {
      answers: (params) => {
        asked.push(params)
        return YES
      },
    })
    expect(await heard(client, 'notice')).toBe('no_answer')
    const form = expect.objectContaining({ requestedSchema: expect.objectContaining({ properties: {} }) })
    // Where a question means a second call, what needs no answer is not worth one.
    await expect.poll(() => asked).toEqual(era === '2026-07-28' ? [] : [form])
  },
)

/** A client that writes its own messages: no library would send some of these. */
class RawClient {
  readonly transport: Transport
  readonly received: Record<string, unknown>[] = []

  constructor(transport: Transport) {
    this.transport = transport
    transport.onmessage = (message) => void this.received.push(message as unknown as Record<string, unknown>)
  }

  async send(message: object): Promise<void> {
    await this.transport.send({ jsonrpc: '2.0', ...message } as never)
  }

  async got(matches: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    await expect.poll(() => this.received.some(matches)).toBe(true)
    return this.received.find(matches) ?? {}
  }
}

const CALL = { method: 'tools/call', params: { name: 'send', arguments: { letter: 'one' } } }

async function rawLegacy(patienceMs?: number): Promise<RawClient> {
  gate = new AskingGate()
  const client = new RawClient(await transportTo('memory', patienceMs))
  await client.transport.start()
  closing.push(() => client.transport.close())
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: FORM, clientInfo }
  await client.send({ id: 1, method: 'initialize', params })
  await client.got(({ id }) => id === 1)
  await client.send({ method: 'notifications/initialized' })
  return client
}

const isQuestion = ({ method }: Record<string, unknown>): boolean => method === 'elicitation/create'

test.each<[string, object]>([
  ['nothing', { result: {} }],
  ['a word', { result: 'accept' }],
  ['null', { result: null }],
  ['yes without the box', { result: { action: 'accept' } }],
  ['yes with a list', { result: { action: 'accept', content: [true] } }],
  ['a word in the box', { result: { action: 'accept', content: { approve: 'true' } } }],
  ['a number in the box', { result: { action: 'accept', content: { approve: 1 } } }],
  ['another box', { result: { action: 'accept', content: { Approve: true } } }],
  ['another word for yes', { result: { action: 'ACCEPT', content: { approve: true } } }],
  ['a list of answers', { result: [{ action: 'accept', content: { approve: true } }] }],
  ['an error', { error: { code: -32603, message: 'accept' } }],
])('an answer that makes no sense is none: %s', async (_what, answer) => {
  // Some of these are no JSON-RPC either, and then there is only the end of its time.
  const client = await rawLegacy(300)
  await client.send({ id: 2, ...CALL })
  const { id } = await client.got(isQuestion)
  await client.send({ id, ...answer })
  await expect.poll(() => gate.heard).toEqual(['no_answer'])
})

test('an answer that comes too late is none, and the client is told that nobody waits', async () => {
  const client = await rawLegacy(50)
  await client.send({ id: 2, ...CALL })
  const { id } = await client.got(isQuestion)
  await client.got(({ id: answered }) => answered === 2)
  await client.send({ id, result: YES })
  expect(await client.got(({ method }) => method === 'notifications/cancelled')).toMatchObject({
    params: { requestId: id },
  })
  await client.send({ id: 3, ...CALL })
  await client.got(({ id: answered }) => answered === 3)
  expect(gate.heard).toEqual(['no_answer', 'no_answer'])
})

test('an answer to another question is none', async () => {
  const client = await rawLegacy(300)
  await client.send({ id: 2, ...CALL })
  const { id } = await client.got(isQuestion)
  await client.send({ id: Number(id) + 1, result: YES })
  await client.send({ id: 2, result: YES })
  await client.got(({ id: answered }) => answered === 2)
  expect(gate.heard).toEqual(['no_answer'])
})

test('a call that is given up while a person is asked ends the asking', async () => {
  const client = await rawLegacy()
  await client.send({ id: 2, ...CALL })
  const { id } = await client.got(isQuestion)
  await client.send({ method: 'notifications/cancelled', params: { requestId: 2 } })
  await expect.poll(() => gate.heard).toEqual(['no_answer, cancelled'])
  expect(await client.got(({ method }) => method === 'notifications/cancelled')).toMatchObject({
    params: { requestId: id },
  })
  await client.send({ id, result: YES })
  await client.send({ id: 3, method: 'ping' })
  await client.got(({ id: answered }) => answered === 3)
  expect(gate.heard).toEqual(['no_answer, cancelled'])
})

test('a client of the library that gives up a call while its person thinks', async () => {
  const leaving = new AbortController()
  const client = await connect('memory', 'legacy', {
    answers: async () => {
      leaving.abort()
      await expect.poll(() => gate.heard.length).toBe(1)
      return YES
    },
  })
  const given = client.callTool({ name: 'send', arguments: { letter: 'one' } }, { signal: leaving.signal })
  await expect(given).rejects.toThrow()
  await expect.poll(() => gate.heard).toEqual(['no_answer, cancelled'])
})

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': FORM,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
}

async function rawModern(patienceMs?: number) {
  gate = new AskingGate()
  const client = new RawClient(await transportTo('memory', patienceMs))
  await client.transport.start()
  closing.push(() => client.transport.close())
  let last = 0
  return async (more: object = {}): Promise<Record<string, unknown>> => {
    last += 1
    const sent = last
    await client.send({ id: sent, ...CALL, params: { ...CALL.params, _meta: MODERN, ...more } })
    const { result } = await client.got(({ id }) => id === sent)
    return result as Record<string, unknown>
  }
}

const approval = YES

test('what is brought back counts once, and only with what went out', async () => {
  const call = await rawModern()
  const { resultType, requestState, inputRequests } = await call()
  expect([resultType, Object.keys(inputRequests as object)]).toEqual(['input_required', ['approval']])
  await call({ inputResponses: { approval } })
  await call({ inputResponses: { approval }, requestState: 'AAAAAAAAAAAAAAAAAAAAAA' })
  await call({ inputResponses: { approval }, requestState })
  await call({ inputResponses: { approval }, requestState })
  expect(gate.heard).toEqual(['no_answer', 'no_answer', 'no_answer', 'accepted', 'no_answer'])
})

test('a yes to a letter that was changed in between is none', async () => {
  const call = await rawModern()
  const { requestState } = await call()
  gate.suffix = '!'
  const { resultType } = await call({ inputResponses: { approval }, requestState })
  expect([gate.heard, resultType]).toEqual([['no_answer', 'no_answer'], 'complete'])
})

test('a yes that is brought back too late is none', async () => {
  const call = await rawModern(0)
  const { requestState } = await call()
  await call({ inputResponses: { approval }, requestState })
  expect(gate.heard).toEqual(['no_answer', 'no_answer'])
})

test.each<[string, unknown]>([
  ['none', undefined],
  ['under another name', { other: YES }],
  ['in an envelope', { approval: { method: 'elicitation/create', result: YES } }],
  ['not ticked', { approval: { action: 'accept', content: {} } }],
  ['a list', [YES]],
  ['a word', 'accept'],
])('what makes no sense is not asked again: %s', async (_what, inputResponses) => {
  const call = await rawModern()
  const { requestState } = await call()
  const { resultType } = await call({ inputResponses, requestState })
  expect([gate.heard, resultType]).toEqual([['no_answer', 'no_answer'], 'complete'])
})

test('another caller cannot answer, nor use the question up', () => {
  const questions = new OpenQuestions()
  const question = questionAbout('one')
  const state = questions.open('ann', question, 1000)
  expect(questions.close(state, 'bob', question)).toBe(false)
  expect(questions.close(state, 'ann', question)).toBe(true)
  expect(questions.close(state, 'ann', question)).toBe(false)
})

test('questions that nobody answers do not pile up', () => {
  const questions = new OpenQuestions()
  const question = questionAbout('one')
  const [first = '', ...rest] = Array.from({ length: 1001 }, () => questions.open('ann', question, 60_000))
  expect(questions.close(first, 'ann', question)).toBe(false)
  expect(questions.close(rest.at(0) ?? '', 'ann', question)).toBe(true)
})
