import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/adapters/log/log.ts'
import { setupDesk } from '../../src/house/setup-desk.ts'
import type { SetupChoice } from '../../src/surfaces/cli/setup/choice.ts'
import type { Prompter } from '../../src/surfaces/cli/setup/prompter.ts'
import { setupCommand } from '../../src/surfaces/cli/setup/setup.ts'
import { unasked } from '../../src/surfaces/cli/setup/unasked.ts'
import { startDovecot } from '../dovecot/dovecot.ts'
import { startProvider } from '../oauth/provider.ts'
import { tokensOnly } from '../oauth/tokens-only.ts'
import { everythingIn } from './scene.ts'

interface Place {
  readonly home: string
  setup(
    browser: (url: string) => Promise<unknown>,
    more?: Partial<SetupChoice>,
  ): Promise<{ readonly code: number; readonly said: string }>
}

/** A mail server that takes nothing but tokens, and a provider that gives them. */
async function place(): Promise<Place> {
  const provider = await startProvider()
  onTestFinished(() => provider.close())
  const dovecot = await startDovecot({
    users: { ada: 'a password that nobody uses' },
    extra: tokensOnly(provider, 'xoauth2'),
  })
  onTestFinished(() => dovecot.stop())
  await dovecot.deliver('ada', 'INBOX', [{ raw: 'Subject: hello\r\n\r\nhello\r\n' }])
  const home = await mkdtemp(join(tmpdir(), 'po-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    POSTERN_DATA_DIR: join(home, 'data'),
    IMAP_MCP_OAUTH_CLIENT_ID: 'postern',
    IMAP_MCP_OAUTH_AUTH_URL: `${provider.url}/authorize`,
    IMAP_MCP_OAUTH_TOKEN_URL: `${provider.url}/token`,
  }
  return {
    home,
    async setup(browser, more = {}) {
      let said = ''
      const terminal = {
        print: () => expect.unreachable('nothing is printed'),
        complain: (text: string) => {
          said += text
        },
      }
      const leaving = new AbortController()
      const quiet = unasked(terminal)
      const prompter: Prompter = {
        ...quiet,
        say(text) {
          quiet.say(text)
          const url = /^https?:\S+$/m.exec(text)?.[0]
          if (url !== undefined) void browser(url).catch((reason) => leaving.abort(reason))
        },
      }
      const desk = setupDesk(undefined, {
        env,
        platform: 'linux',
        log: createLog({ level: 'silent' }),
        stdin: Readable.from([]),
      })
      const servers = {
        imapHost: '127.0.0.1',
        imapPort: dovecot.port,
        user: 'ada',
        auth: 'oauth',
        secrets: 'file',
      } as const
      const code = await setupCommand(
        { yes: true, paste: false, address: 'ada@example.org', client: ['cursor'], ...servers, ...more },
        { desk, prompter, terminal, openBrowser: async () => false, signal: leaving.signal },
      )
      return { code, said }
    },
  }
}

test('access that is granted in the browser is tried before anything is in place', async () => {
  const { home, setup } = await place()
  const { code, said } = await setup((url) => fetch(url))
  expect([code, said]).toEqual([0, expect.stringContaining(' folders, 1 message in the inbox.\n  hello\n')])
  const accounts = await readFile(join(home, 'config/postern/accounts.yaml'), 'utf8')
  expect(accounts).toContain('type: xoauth2')
  const token = await readFile(join(home, 'config/postern/secrets/accounts/example/refresh-token'), 'utf8')
  expect(said).not.toContain(token)
  // The client renews tokens by itself, so it has to know the registration.
  const { env } = JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).mcpServers.postern
  expect(env).toMatchObject({ IMAP_MCP_CALLER_ID: 'agent', IMAP_MCP_OAUTH_CLIENT_ID: 'postern' })
})

test('where letters leave is tried with what was granted, too', async () => {
  const { home, setup } = await place()
  const nowhere = { preset: 'assistant', smtpHost: '127.0.0.1', smtpPort: 1 } as const
  const { code, said } = await setup((url) => fetch(url), nowhere)
  expect([code, said]).toEqual([1, expect.stringContaining('127.0.0.1:1 refused the connection')])
  const left = Object.keys(await everythingIn(home)).filter((name) => name.endsWith('accounts.yaml'))
  expect(left).toEqual([])
})

test('whoever leaves while the browser is open leaves nothing behind', async () => {
  const { home, setup } = await place()
  const { Failure } = await import('../../src/core/failure.ts')
  const { code } = await setup(() => Promise.reject(new Failure('cancelled', 'stopped')))
  expect(code).toBe(1)
  const left = Object.keys(await everythingIn(home)).filter((name) => !name.startsWith('data'))
  expect(left).toEqual([])
})
