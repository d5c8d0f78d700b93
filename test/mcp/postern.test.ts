/** The built program, as a person or a host starts it: the demo over HTTP and stdio, and a start that fails. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initialize, RawProcess } from './raw-process.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/postern.mjs')
let home: string
let postern: RawProcess

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'postern-'))
})
afterEach(async () => {
  postern.kill()
  await postern.exitCode()
  await rm(home, { recursive: true })
})

function start(...args: string[]): RawProcess {
  const places = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'POSTERN_DATA_DIR']
  // A demo that is killed leaves its mailbox there.
  places.push('TMPDIR')
  postern = new RawProcess([PROGRAM, ...args], Object.fromEntries(places.map((name) => [name, home])))
  return postern
}

async function startDemo(): Promise<{ url: string; token: string }> {
  start('demo', '--port', '0')
  await postern.until((output) => output.includes('Ctrl-C'))
  const [, url = ''] = /Address +(\S+)/.exec(postern.output) ?? []
  const [, token = ''] = /Token +(\S+)/.exec(postern.output) ?? []
  return { url, token }
}

test.each(['legacy', '2026-07-28'])('the demo answers a client that has its token: %s', async (era) => {
  const { url, token } = await startDemo()
  const mode = era === 'legacy' ? era : { pin: era }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = { Authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  expect((await client.listTools()).tools).toHaveLength(14)
  const found = await client.callTool({
    name: 'imap_search_messages',
    arguments: { mailbox: 'INBOX', limit: 3 },
  })
  expect(found.structuredContent).toMatchObject({ data: { status: 'ok', messages: [{}, {}, {}] } })
  await client.close()
  postern.child.kill('SIGTERM')
  expect([await postern.exitCode(), postern.errors]).toEqual([0, ''])
})

test('the demo has a console, in which its letters are approved', async () => {
  await startDemo()
  const link = new URL(/http:\S+sign-in\?token=\S+/.exec(postern.output)?.[0] ?? 'about:blank')
  const body = JSON.stringify({ token: link.searchParams.get('token') })
  const headers = { Origin: link.origin, 'Content-Type': 'application/json' }
  const signedIn = await fetch(new URL('/console/api/sign-in', link), { method: 'POST', headers, body })
  expect(signedIn.status).toBe(200)
  expect(signedIn.headers.get('set-cookie')).toContain('HttpOnly')
})

test('the demo knows nobody without its token', async () => {
  const { url, token } = await startDemo()
  for (const wrong of [undefined, token.slice(1), `${token}x`]) {
    const headers = { 'Content-Type': 'application/json', ...(wrong && { Authorization: `Bearer ${wrong}` }) }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize(1)) })
    expect([response.status, await response.json()]).toEqual([401, { error: 'auth_failed' }])
  }
})

test('the demo over stdio speaks the protocol and nothing else, and ends with its input', async () => {
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'imap_list_accounts', arguments: {} } }
  start('demo', '--stdio').write(initialize(1), list)
  expect(await postern.end()).toBe(0)
  expect(postern.messages()).toMatchObject([
    { id: 1, result: { serverInfo: { name: 'postern' } } },
    { id: 2, result: { structuredContent: { data: { accounts: [{ host: 'local' }] } } } },
  ])
})

test('what the demo has kept is gone when it ends', async () => {
  const kept = async (): Promise<string[]> => (await readdir(home)).filter((name) => name.startsWith('postern-demo-'))
  start('demo', '--stdio').write(initialize(1))
  await postern.answer(1)
  expect(await kept()).toHaveLength(1)
  expect(await postern.end()).toBe(0)
  expect(await kept()).toEqual([])
})

test('a client that reads nothing more does not keep the program running', async () => {
  start('demo', '--stdio').write(initialize(1))
  await postern.answer(1)
  postern.child.stdout.pause()
  // More is answered than fits between the two.
  for (let id = 2; id < 100; id += 1) postern.write({ jsonrpc: '2.0', id, method: 'tools/list' })
  await expect.poll(() => postern.child.stdout.readableLength).toBeGreaterThan(0)
  postern.child.kill('SIGTERM')
  expect(await postern.exitCode()).toBe(0)
})

test('a letter that the demo over stdio is asked for is approved by command, and leaves', async () => {
  const letter = { to: 'ruben@achterberg-timber.example', subject: 'Larch', body: 'Two halves, please.' }
  const send = (id: number): object => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'send_email', arguments: letter },
  })
  start('demo', '--stdio').write(initialize(1), send(2))
  const { result } = (await postern.answer(2)) as { result?: { structuredContent: { id: string } } }
  expect(result).toMatchObject({ structuredContent: { status: 'rejected', code: 'approval_required' } })
  const [, directory = ''] = /POSTERN_DATA_DIR=(\S+) npx postern outbox/.exec(postern.errors) ?? []
  const env = { HOME: home, POSTERN_DATA_DIR: directory }
  const approve = new RawProcess([PROGRAM, 'approve', result?.structuredContent.id ?? 'none', '--yes'], env)
  expect([await approve.exitCode(), approve.errors]).toEqual([0, ''])
  postern.write(send(3))
  expect(await postern.answer(3)).toMatchObject({ result: { structuredContent: { status: 'sent' } } })
  expect(await postern.end()).toBe(0)
  expect(existsSync(directory)).toBe(false)
})

test('commands reach the demo where it says, and its console', async () => {
  const { url } = await startDemo()
  const [, directory = ''] = /POSTERN_DATA_DIR=(\S+) npx postern outbox/.exec(postern.output) ?? []
  const link = new RawProcess([PROGRAM, 'console', '--link'], { HOME: home, POSTERN_DATA_DIR: directory })
  expect([await link.exitCode(), link.errors]).toEqual([0, ''])
  expect(link.output).toContain(`${new URL(url).origin}/console/sign-in?token=`)
})

test('without accounts a host learns from its first answer what to do', async () => {
  start().write(initialize(1))
  expect(await postern.exitCode()).toBe(1)
  expect(postern.messages()).toMatchObject([{ id: 1, error: { code: -32002, message: /MAIL_IMAP_DEFAULT_HOST/ } }])
  expect(postern.errors).toContain('postern demo')
})

test.each(['--version', '--help'])('%s needs nothing to be set up', async (flag) => {
  start(flag)
  expect(await postern.exitCode()).toBe(0)
  expect(postern.output).toMatch(flag === '--help' ? /Examples\n/ : /^[0-9]+\.[0-9]+\.[0-9]+\n$/)
})
