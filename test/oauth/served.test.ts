/** The built program serves an OAuth account of a real mail server: granted, used, withdrawn, granted again. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, startDovecot } from '../dovecot/dovecot.ts'
import { startProxy } from '../dovecot/proxy.ts'
import { PROGRAM } from '../imap/postern.ts'
import { startProvider } from './provider.ts'
import { newDirectory } from './scene.ts'
import { tokensOnly } from './tokens-only.ts'

type Answer = Readonly<Record<string, unknown>>

function writeTree(port: number, scope = 'mail'): string {
  const tree = newDirectory()
  mkdirSync(join(tree, 'policies'))
  mkdirSync(join(tree, 'secrets'), { mode: 0o700 })
  const auth = `{ type: xoauth2, secret_ref: secret://accounts/work/refresh_token, oauth_scope: "${scope}" }`
  const account = `{ id: work, host: 127.0.0.1, port: ${port}, user: ada, auth: ${auth} }`
  const store = '{ backend: file_dir, path: secrets }'
  writeFileSync(join(tree, 'accounts.yaml'), `accounts:\n  - ${account}\nsecret_store: ${store}\n`)
  writeFileSync(join(tree, 'callers.yaml'), 'callers:\n  - { id: bot, policy: all, auth: { type: stdio_trusted } }\n')
  const inbox = '{ path: INBOX, mode: blacklist, default: FULL, mark_seen: true }'
  writeFileSync(join(tree, 'policies', 'all.yaml'), `name: all\naccounts:\n  work:\n    - ${inbox}\n`)
  return tree
}

async function grant(env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'oauth', '--account', 'work'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  const address = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      const url = /^http:\S+$/m.exec(said)?.[0]
      if (url !== undefined && said.includes('Waiting')) resolve(url)
    })
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  expect((await fetch(await address)).status).toBe(200)
  expect(await ended).toBe(0)
}

test('a running server follows what people grant and withdraw, and writes no token anywhere', async () => {
  const provider = await startProvider({ rotate: true })
  onTestFinished(() => provider.close())
  const dovecot = await startDovecot({ users: { ada: 'nobody uses it' }, extra: tokensOnly(provider, 'xoauth2') })
  onTestFinished(() => dovecot.stop())
  const proxy = await startProxy(dovecot.port)
  onTestFinished(() => proxy.stop())
  await dovecot.deliver('ada', 'INBOX', [{ raw: 'From: a@example.com\r\nSubject: hello\r\n\r\nhello\r\n' }])
  const [tree, data] = [writeTree(proxy.port), newDirectory()]
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: data, POSTERN_DATA_DIR: data },
    ...{ IMAP_MCP_CONFIG_DIR: tree, IMAP_MCP_CALLER_ID: 'bot', POSTERN_DEBUG: '1' },
    ...{ IMAP_MCP_OAUTH_CLIENT_ID: 'postern', IMAP_MCP_OAUTH_ISSUER: provider.url },
  }
  const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM], env, stderr: 'pipe' })
  const logged =
    transport.stderr === null ? Promise.resolve('') : text(transport.stderr as unknown as AsyncIterable<string>)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  const answers: Answer[] = []
  const call = async (name: string, args: Answer): Promise<Answer> => {
    const { structuredContent = {} } = await client.callTool({ name, arguments: args })
    answers.push(structuredContent as Answer)
    return structuredContent as Answer
  }
  const state = async (): Promise<unknown> => (await call('list_accounts', {}))['accounts']
  const search = (): Promise<Answer> => call('search', { account: 'work', folder: 'INBOX' })

  expect(await state()).toEqual([{ id: 'work', state: 'needs_rebootstrap' }])
  expect(await search()).toMatchObject({ decision: 'DENY', reason: 'needs_rebootstrap' })
  await grant(env)
  expect(await state()).toEqual([{ id: 'work', state: 'active' }])
  expect(await search()).toMatchObject({ decision: 'ALLOW', matched_visible: 1 })
  provider.revokeAll()
  proxy.cutAll()
  expect(await search()).toMatchObject({ decision: 'ALLOW', result: 'ERROR', error_type: 'auth_failed' })
  expect(await search()).toMatchObject({ decision: 'DENY', reason: 'needs_rebootstrap' })
  await grant(env)
  expect(await search()).toMatchObject({ decision: 'ALLOW', matched_visible: 1 })
  await client.close()

  const audit = readdirSync(join(data, 'audit'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  )
  const records = audit.map((name) => readFileSync(join(data, 'audit', name), 'utf8')).join('')
  expect(records.match(/"tool":"token_refresh"/g)?.length).toBe(provider.asked('refresh_token'))
  const notes = readdirSync(join(data, 'oauth')).map((name) => readFileSync(join(data, 'oauth', name), 'latin1'))
  const shown = JSON.stringify([answers, records, notes, await logged])
  expect(provider.secrets().length).toBeGreaterThan(6)
  for (const secret of provider.secrets()) expect(shown).not.toContain(secret)
})

test('a scope that only reads refuses every change, whatever the policy allows', async () => {
  const [tree, data] = [writeTree(await freePort(), 'imap:read'), newDirectory()]
  mkdirSync(join(tree, 'secrets', 'accounts', 'work'), { recursive: true })
  writeFileSync(join(tree, 'secrets', 'accounts', 'work', 'refresh_token'), 'refresh-anything')
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: data, POSTERN_DATA_DIR: data },
    ...{ IMAP_MCP_CONFIG_DIR: tree, IMAP_MCP_CALLER_ID: 'bot' },
    ...{ IMAP_MCP_OAUTH_CLIENT_ID: 'postern', IMAP_MCP_OAUTH_ISSUER: `http://127.0.0.1:${await freePort()}` },
  }
  const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM], env, stderr: 'ignore' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const message = { account: 'work', folder: 'INBOX', uid: 1 }
  const { structuredContent } = await client.callTool({ name: 'mark_seen', arguments: { ...message, seen: true } })
  expect(structuredContent).toMatchObject({ decision: 'DENY', reason: 'oauth_scope_insufficient' })
  const read = await client.callTool({ name: 'fetch_body', arguments: message })
  expect(read.structuredContent).toMatchObject({ decision: 'ALLOW', result: 'ERROR' })
})

test('a changed scope needs a new grant after a reload, though the account was never used', async () => {
  const [tree, data] = [writeTree(await freePort()), newDirectory()]
  mkdirSync(join(tree, 'secrets', 'accounts', 'work'), { recursive: true })
  writeFileSync(join(tree, 'secrets', 'accounts', 'work', 'refresh_token'), 'refresh-anything')
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: data, POSTERN_DATA_DIR: data },
    ...{ IMAP_MCP_CONFIG_DIR: tree, IMAP_MCP_CALLER_ID: 'bot' },
  }
  const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM], env, stderr: 'ignore' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const state = async (): Promise<unknown> =>
    (await client.callTool({ name: 'list_accounts', arguments: {} })).structuredContent
  expect(await state()).toMatchObject({ accounts: [{ id: 'work', state: 'active' }] })
  const file = join(tree, 'accounts.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('oauth_scope: "mail"', 'oauth_scope: "mail contacts"'))
  process.kill(transport.pid ?? 0, 'SIGHUP')
  await expect.poll(state).toMatchObject({ accounts: [{ id: 'work', state: 'needs_rebootstrap' }] })
})
