/** The built program as an operator and a host run it: access is granted in a browser, and mail is read with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PROGRAM } from '../imap/postern.ts'
import { ADDRESS, consent, type Google, startGoogle } from './google.ts'
import { newDirectory } from './scene.ts'

interface Installation {
  readonly tree: string
  readonly data: string
  readonly env: Readonly<Record<string, string>>
}

function install(google: Google, backend = 'file_dir'): Installation {
  const [tree, data] = [newDirectory(), newDirectory()]
  mkdirSync(join(tree, 'policies'))
  mkdirSync(join(tree, 'secrets'), { mode: 0o700 })
  const store = backend === 'file_dir' ? 'backend: file_dir\n  path: secrets' : `backend: ${backend}`
  writeFileSync(
    join(tree, 'accounts.yaml'),
    `accounts:
  - id: gmail-invoices
    provider: google-mock
    user: ${ADDRESS}
    auth:
      type: xoauth2
      secret_ref: secret://accounts/gmail-invoices/refresh_token
      oauth_scope: https://mail.google.com/
    token_cache: persist_all
secret_store:
  ${store}
`,
  )
  writeFileSync(
    join(tree, 'callers.yaml'),
    'callers:\n  - id: bot\n    policy: some\n    auth:\n      type: stdio_trusted\n',
  )
  writeFileSync(
    join(tree, 'policies', 'some.yaml'),
    'name: some\naccounts:\n  gmail-invoices:\n    - path: INBOX\n      mode: whitelist\n      default: NONE\n      rules: []\n',
  )
  const { clientId, clientSecret = '', authorizationUrl = '', tokenUrl = '', redirectPort = 0 } = google.settings
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: data, POSTERN_DATA_DIR: data, IMAP_MCP_CONFIG_DIR: tree },
    ...{ IMAP_MCP_OAUTH_CLIENT_ID: clientId, IMAP_MCP_OAUTH_CLIENT_SECRET: clientSecret },
    ...{ IMAP_MCP_OAUTH_AUTH_URL: authorizationUrl, IMAP_MCP_OAUTH_TOKEN_URL: tokenUrl },
    IMAP_MCP_OAUTH_REDIRECT_PORT: `${redirectPort}`,
  }
  return { tree, data, env }
}

interface Run {
  readonly child: ChildProcess
  readonly said: { text: string }
  readonly code: Promise<number | null>
}

function start(env: Installation['env'], ...args: readonly string[]): Run {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      said.text += chunk
    })
  }
  return { child, said, code: new Promise((resolve) => child.once('close', resolve)) }
}

async function shownAddress({ said }: Run): Promise<string> {
  await expect.poll(() => said.text).toMatch(/^http:\S+$/m)
  return /^http:\S+$/m.exec(said.text)?.[0] ?? ''
}

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

async function begin(): Promise<Google> {
  const google = await startGoogle()
  onTestFinished(() => google.close())
  return google
}

test.each([false, true])('access is granted (pasted: %s) and the token is in the secret store alone', async (paste) => {
  const google = await begin()
  const { tree, data, env } = install(google)
  const run = start(env, 'oauth', '--account', 'gmail-invoices', ...(paste ? ['--paste'] : []))
  const back = await consent(await shownAddress(run))
  if (paste) run.child.stdin?.end(`${back}\n`)
  else expect((await fetch(back)).status).toBe(200)
  expect(await run.code).toBe(0)
  expect(run.said.text).toContain('Access to account gmail-invoices was granted')
  const secret = join(tree, 'secrets', 'accounts', 'gmail-invoices', 'refresh_token')
  const token = readFileSync(secret, 'utf8').trim()
  expect(token).toMatch(/^google_refresh_/)
  expect(run.said.text).not.toContain(token)
  expect(run.said.text).not.toContain(new URL(back).searchParams.get('code'))
  const elsewhere = [...filesBelow(tree), ...filesBelow(data)].filter((file) => file !== secret)
  expect(elsewhere.length).toBeGreaterThan(3)
  for (const file of elsewhere) expect(readFileSync(file, 'latin1')).not.toContain(token)
})

test('access is granted before there are callers and policies', async () => {
  const { tree, env } = install(await begin())
  rmSync(join(tree, 'callers.yaml'))
  rmSync(join(tree, 'policies'), { recursive: true })
  const run = start(env, 'oauth', '--account', 'gmail-invoices')
  expect((await fetch(await consent(await shownAddress(run)))).status).toBe(200)
  expect(await run.code).toBe(0)
  expect(filesBelow(join(tree, 'secrets'))).toHaveLength(1)
})

test('a store that cannot be written is refused at once, and so is a missing client', async () => {
  const google = await begin()
  const readOnly = start(install(google, 'env_var').env, 'oauth', '--account', 'gmail-invoices')
  expect(await readOnly.code).toBe(1)
  expect(readOnly.said.text).toContain('read-only')
  const { IMAP_MCP_OAUTH_CLIENT_ID: _, ...env } = install(google).env
  const clientless = start(env, 'oauth', '--account', 'gmail-invoices')
  expect(await clientless.code).toBe(1)
  expect(clientless.said.text).toContain('Desktop app')
})

test('Ctrl-C ends the waiting and changes nothing', async () => {
  const { tree, env } = install(await begin())
  const run = start(env, 'oauth', '--account', 'gmail-invoices')
  await shownAddress(run)
  run.child.kill('SIGINT')
  expect(await run.code).toBe(1)
  expect(run.said.text).toContain('nothing was changed')
  expect(filesBelow(join(tree, 'secrets'))).toEqual([])
})
