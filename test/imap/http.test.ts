/** The same tool set over HTTP: answers and errors are those of stdio. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../mail-source/messages.ts'
import { ADA, type Stage, startStage } from './harness.ts'
import { account, callTool, PROGRAM, refusalOf, surroundings } from './postern.ts'
import { auditRecords } from './record.ts'

const TOKEN = 'a-token-of-more-than-twenty-characters'

let stage: Stage
let dataDir: string
let child: ChildProcessWithoutNullStreams
let url: string
let errors = ''

beforeAll(async () => {
  stage = await startStage()
  dataDir = await mkdtemp(join(tmpdir(), 'ph-'))
  const variables = { ...account('default', stage.dovecot.port, ADA), POSTERN_HTTP_TOKEN: TOKEN }
  const env = { PATH: process.env['PATH'] ?? '', ...surroundings(variables, dataDir) }
  child = spawn(process.execPath, [PROGRAM, '--transport', 'http', '--host', '127.0.0.1', '--port', '0'], { env })
  url = await new Promise((resolve) => {
    child.stderr.on('data', (chunk) => {
      errors += chunk
      const address = /http:\/\/\S+\/mcp/.exec(errors)?.[0]
      if (address !== undefined) resolve(address)
    })
  })
})
afterAll(async () => {
  child.kill('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
  await stage.close()
})

async function connected(mode: 'legacy' | { pin: string }, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

describe.each([['legacy'], [{ pin: '2026-07-28' }]] as const)('a client of the era %j', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connected(mode, TOKEN)
  })
  afterAll(() => client.close())

  test('sees the same listing as over stdio', async () => {
    expect((await client.listTools()).tools).toEqual((await stage.postern.client.listTools()).tools)
  })

  test('searches, reads and pages', async () => {
    const mailbox = `Http ${JSON.stringify(mode).length}`
    await stage.put(mailbox, [letter({ subject: 'one' }), letter({ subject: 'two' })])
    const first = await callTool(client, 'imap_search_messages', { mailbox, limit: 1 })
    const next = await callTool(client, 'imap_search_messages', first.data.next_action.arguments)
    const subjects = [first, next].flatMap(({ data }) => data.messages.map(({ subject }) => subject))
    expect(subjects).toEqual(['two', 'one'])
    const { data } = await callTool(client, 'imap_get_message', { message_id: next.data.messages[0]?.message_id })
    expect(data.message.subject).toBe('one')
  })

  test('hears of errors with their codes', async () => {
    const limit = await refusalOf(callTool(client, 'imap_search_messages', { mailbox: 'INBOX', limit: 51 }))
    expect(limit).toMatchObject({ code: -32602, message: 'limit must be between 1 and 50; got 51' })
    const missing = await refusalOf(callTool(client, 'imap_search_messages', { mailbox: 'Nowhere' }))
    expect(missing).toMatchObject({ code: -32002, data: { code: 'not_found' } })
    const closed = await refusalOf(
      callTool(client, 'imap_delete_message', { message_id: 'imap:default:INBOX:1:1', confirm: true }),
    )
    expect(closed).toMatchObject({ code: -32602, data: { details: { reason: 'capability_missing' } } })
  })
})

test('a wrong token is refused and put on record, without the token', async () => {
  await expect(connected('legacy', 'another-token-of-twenty-characters')).rejects.toThrow()
  const answer = await fetch(url, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })
  expect(answer.status).toBe(401)
  const records = JSON.stringify(await auditRecords(dataDir))
  expect(records).toContain('wrong_token')
  expect(records).toContain('no_bearer_token')
  expect(records).not.toContain('of-twenty')
  expect(errors).not.toContain(TOKEN)
})

test('a server that is asked to end does so with 0', async () => {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
