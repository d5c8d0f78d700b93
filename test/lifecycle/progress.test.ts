/** Whoever waits and asked for it is told how things are going, over stdio and over HTTP, in both eras of the protocol. */
import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type MailProxy, startProxy } from '../dovecot/proxy.ts'
import { letter } from '../mail-source/messages.ts'
import { accountAt, INBOX, PROGRAM, placesIn, type Scene, startScene, type Variables } from './scene.ts'

const TOKEN = 'a-token-of-twenty-characters-or-more'
const CALL = { name: 'list_emails', arguments: { account: 'ada@example.com', limit: 1 } }

let dovecot: Dovecot
beforeAll(async () => {
  dovecot = await startDovecot({ users: { ada: 'ada-password' } })
  const letters = Array.from({ length: 1500 }, (_, at) => ({ raw: letter({ subject: `letter ${at}` }) }))
  await dovecot.deliver('ada', 'INBOX', letters)
})
afterAll(() => dovecot.stop())

let scene: Scene
let proxy: MailProxy
let client: Client
beforeEach(async () => {
  scene = await startScene()
  proxy = await startProxy(dovecot.port)
})
afterEach(async () => {
  await client.close()
  await scene.close()
  await proxy.stop()
})

type Era = 'legacy' | '2026-07-28'

function clientOf(era: Era): Client {
  const mode = era === 'legacy' ? era : { pin: era }
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
}

async function overStdio(era: Era, env: Variables): Promise<void> {
  client = clientOf(era)
  const all = { ...placesIn(scene.directory), ...accountAt(proxy.port), ...env }
  const args = [PROGRAM, ...INBOX]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: all, stderr: 'ignore' }))
}

async function overHttp(era: Era, env: Variables): Promise<void> {
  const http = [...INBOX, '--transport', 'http', '--port', '0']
  const server = scene.start(http, { ...accountAt(proxy.port), POSTERN_HTTP_TOKEN: TOKEN, ...env })
  await expect.poll(() => server.errors).toContain('serving MCP at')
  const [, url = ''] = /serving MCP at (\S+)/.exec(server.errors) ?? []
  client = clientOf(era)
  const headers = { Authorization: `Bearer ${TOKEN}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
}

const WAYS: [string, Era, typeof overStdio][] = [
  ['stdio', 'legacy', overStdio],
  ['stdio', '2026-07-28', overStdio],
  ['HTTP', 'legacy', overHttp],
  ['HTTP', '2026-07-28', overHttp],
]

describe.each(WAYS)('over %s, %s', (_way, era, connect) => {
  test('a call that takes long', async () => {
    await connect(era, {})
    await client.callTool(CALL)
    proxy.stall(true)
    const told: Progress[] = []
    const answer = client.callTool(CALL, { onprogress: (progress) => void told.push(progress) })
    await expect.poll(() => told.length).toBeGreaterThanOrEqual(2)
    proxy.stall(false)
    expect((await answer).isError ?? false).toBe(false)
    expect(told.map(({ message }) => message)).toEqual(told.map(() => 'working'))
    expectGrowth(told)
  })

  test('a mirror that is being filled', async () => {
    proxy.delay(60)
    await connect(era, { MAIL_IMAP_DEFAULT_MIRROR: 'full' })
    const told: Progress[] = []
    await expect
      .poll(async () => {
        const own: Progress[] = []
        await client.callTool(CALL, { onprogress: (progress) => void own.push(progress) })
        expectGrowth(own)
        told.push(...own)
        return told.map(({ message }) => message)
      })
      .toContainEqual(expect.stringMatching(/^syncing INBOX: [\d,]+ of 1,500$/))
    const syncing = told.filter(({ message }) => message?.startsWith('syncing INBOX') === true)
    for (const { progress, total } of syncing) expect(total).toBeGreaterThanOrEqual(progress)
  })
})

test('nobody is told who did not ask', async () => {
  await overStdio('legacy', {})
  await client.callTool(CALL)
  proxy.stall(true)
  const others: string[] = []
  client.fallbackNotificationHandler = async ({ method }) => void others.push(method)
  const asked: Progress[] = []
  const silent = client.callTool(CALL)
  const answer = client.callTool(CALL, { onprogress: (progress) => void asked.push(progress) })
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(1)
  proxy.stall(false)
  await Promise.all([silent, answer])
  expect(others).toEqual([])
})

/** What the protocol asks for. */
function expectGrowth(told: readonly Progress[]): void {
  const steps = told.map(({ progress }) => progress)
  expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b))
}
