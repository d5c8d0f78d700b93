/** Tokens at a real mail server: Dovecot asks the provider whether each one is good. */
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createImapSource } from '../../src/adapters/imap/source.ts'
import { createSmtpSender } from '../../src/adapters/smtp/sender.ts'
import type { OAuthAccessParts } from '../../src/engine/credentials/oauth-access.ts'
import type { Access } from '../../src/ports/access.ts'
import type { Log } from '../../src/ports/log.ts'
import type { MailSource } from '../../src/ports/mail-source.ts'
import { type Dovecot, startDovecot } from '../dovecot/dovecot.ts'
import { type MailProxy, startProxy } from '../dovecot/proxy.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { letter as mail } from '../smtp/desk.ts'
import { type Refusal, type SinkStep, startSink } from '../smtp/sink.ts'
import type { ProviderManner } from './provider.ts'
import { failureOf, never, REF, type Scene, setScene } from './scene.ts'
import { tokensOnly } from './tokens-only.ts'

const MECHANISMS = { xoauth2: 'XOAUTH2', oauthbearer: 'OAUTHBEARER' } as const

interface Mail {
  readonly scene: Scene
  readonly dovecot: Dovecot
  readonly proxy: MailProxy
  readonly access: Access
  readonly source: MailSource
  readonly logged: string[]
}

interface Circumstances {
  readonly mechanism?: keyof typeof MECHANISMS
  /** Who we say we are; the tokens are always Ada's. */
  readonly user?: string
  readonly manner?: ProviderManner
  readonly changes?: Partial<OAuthAccessParts>
}

async function withMail(
  { mechanism = 'xoauth2', user = 'ada', manner = {}, changes = {} }: Circumstances,
  body: (mail: Mail) => Promise<void>,
): Promise<void> {
  const scene = await setScene(manner)
  await scene.parts().secrets.write(REF, scene.provider.grant('ada'))
  const dovecot = await startDovecot({
    users: { ada: 'a password that nobody uses' },
    extra: tokensOnly(scene.provider, mechanism),
  })
  const proxy = await startProxy(dovecot.port)
  const logged: string[] = []
  const note = (fields: unknown, message: string): void => void logged.push(JSON.stringify(fields) + message)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const access = scene.access(changes)
  const options = { account: 'work', host: '127.0.0.1', port: proxy.port, tls: 'none', user, access } as const
  const source = createImapSource(options, log)
  try {
    await dovecot.deliver('ada', 'INBOX', [{ raw: 'Subject: hello\r\n\r\nhello\r\n' }])
    await body({ scene, dovecot, proxy, access, source, logged })
  } finally {
    await source.close()
    await proxy.stop()
    await dovecot.stop()
  }
}

const count = async (source: MailSource): Promise<number> =>
  (await source.find('INBOX', { criteria: {}, take: 1 }, never())).total

test.each(['xoauth2', 'oauthbearer'] as const)('%s: the mailbox opens with a token', async (mechanism) => {
  await withMail({ mechanism }, async ({ source, proxy, scene }) => {
    const counts = await Promise.all(Array.from({ length: 20 }, () => count(source)))
    expect(new Set(counts)).toEqual(new Set([1]))
    expect(proxy.sent()).toContain(`AUTHENTICATE ${MECHANISMS[mechanism]} `)
    expect(scene.provider.asked('refresh_token')).toBe(1)
  })
})

test('tokens that end while connections are in use disturb nobody', async () => {
  await withMail({ manner: { expiresIn: 600 } }, async ({ source, proxy, scene }) => {
    await Promise.all(Array.from({ length: 6 }, () => count(source)))
    // What is open stays open.
    scene.provider.voidAccessTokens()
    expect(await count(source)).toBe(1)
    expect(scene.provider.asked('refresh_token')).toBe(1)
    // What is opened anew finds its token void, and gets another one.
    proxy.cutAll()
    expect(await Promise.all(Array.from({ length: 6 }, () => count(source)))).toEqual([1, 1, 1, 1, 1, 1])
    expect(scene.provider.asked('refresh_token')).toBe(2)
    // What is opened after the end needs no refusal to know it.
    scene.time.skip = 601_000
    scene.provider.voidAccessTokens()
    proxy.cutAll()
    expect(await count(source)).toBe(1)
    expect(scene.provider.asked('refresh_token')).toBe(3)
  })
})

test('a grant that was withdrawn names the command, and then nobody is asked again', async () => {
  await withMail({}, async ({ source, proxy, scene, access }) => {
    await count(source)
    scene.provider.revokeAll()
    proxy.cutAll()
    const failure = await failureOf(count(source))
    expect(failure).toMatchObject({ code: 'auth_failed', details: { reason: 'needs_rebootstrap' } })
    expect(failure.message).toContain('postern oauth --account work')
    expect((await access.standing()).state).toBe('needs_rebootstrap')
    const [asked, connected] = [scene.provider.asked('refresh_token'), proxy.accepted()]
    expect(await failureOf(count(source))).toMatchObject({ code: 'auth_failed' })
    expect([scene.provider.asked('refresh_token'), proxy.accepted()]).toEqual([asked, connected])
    await scene.parts().secrets.write(REF, scene.provider.grant('ada'))
    expect(await count(source)).toBe(1)
  })
})

test('a provider that is away while a token is needed is unavailable, and no more than that', async () => {
  await withMail({}, async ({ source, proxy, scene, access }) => {
    await count(source)
    scene.provider.voidAccessTokens()
    scene.provider.manner.fault = '500'
    proxy.cutAll()
    expect(await failureOf(count(source))).toMatchObject({ code: 'unavailable' })
    expect((await access.standing()).state).toBe('active')
    scene.provider.manner.fault = 'none'
    expect(await count(source)).toBe(1)
  })
})

test('a server that takes no token of this account, however new, puts it aside', async () => {
  await withMail({ user: 'grace' }, async ({ source, access, scene }) => {
    expect(await failureOf(count(source))).toMatchObject({ code: 'auth_failed' })
    expect((await access.standing()).state).toBe('needs_rebootstrap')
    expect(scene.provider.asked('refresh_token')).toBe(2)
    expect((await failureOf(count(source))).message).toContain('postern oauth --account work')
    expect(scene.provider.asked('refresh_token')).toBe(2)
  })
})

test.each([
  '5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.',
  '5.7.8 Authentication credentials invalid',
])('a sending server that refuses the account (%s) never stops reading', async (text) => {
  await withMail({}, async ({ source, proxy, scene, access }) => {
    const refuse = (step: SinkStep): Refusal | undefined => (step.at === 'auth' ? { code: 535, text } : undefined)
    const sink = await startSink({ authMethods: ['XOAUTH2'], refuse })
    const options = { account: 'work', host: '127.0.0.1', port: sink.port, tls: 'none', user: 'ada', access } as const
    const sender = createSmtpSender(options, silentLog)
    try {
      expect(await count(source)).toBe(1)
      for (let times = 0; times < 3; times += 1)
        expect(await failureOf(sender.send(mail(), never()))).toMatchObject({ code: 'auth_failed' })
      expect([(await access.standing()).state, (await scene.access().standing()).state]).toEqual(['active', 'active'])
      proxy.cutAll()
      expect(await count(source)).toBe(1)
    } finally {
      await sender.close()
      await sink.close()
    }
  })
})

test('refresh tokens that change with every use keep a busy account open, and no token is told anywhere', async () => {
  const circumstances = { manner: { rotate: true, expiresIn: 60 }, changes: { tokenCache: 'persist_all' } } as const
  await withMail(circumstances, async ({ source, proxy, scene, logged }) => {
    for (let round = 1; round <= 5; round += 1) {
      scene.time.skip = round * 60_000
      proxy.cutAll()
      expect(await Promise.all([count(source), count(source), count(source)])).toEqual([1, 1, 1])
    }
    expect(scene.outcomes).toEqual(Array.from({ length: 5 }, () => ({ kind: 'refreshed', rotated: true })))
    scene.provider.revokeAll()
    proxy.cutAll()
    const failure = await failureOf(count(source))
    const shown = JSON.stringify([logged, scene.logged, inspect(failure, { depth: 10, showHidden: true })])
    for (const secret of scene.provider.secrets()) {
      expect(shown).not.toContain(secret)
      expect(shown).not.toContain(Buffer.from(`user=ada\u0001auth=Bearer ${secret}\u0001\u0001`).toString('base64'))
    }
  })
})
