import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAuthorization } from '../../src/adapters/oauth/authorization.ts'
import { createGrantNotes } from '../../src/adapters/oauth/grant-notes.ts'
import type { OAuthSettings } from '../../src/adapters/oauth/settings.ts'
import { createTokenEndpoint } from '../../src/adapters/oauth/token-endpoint.ts'
import { Failure } from '../../src/core/failure.ts'
import { type BootstrapParts, type Bootstrapped, bootstrap } from '../../src/engine/credentials/bootstrap.ts'
import { runOAuth } from '../../src/surfaces/cli/oauth.ts'
import { ADDRESS, consent, startGoogle } from './google.ts'
import { failureOf, never, newDirectory, REF, type Scene, setScene, tokenOf } from './scene.ts'
import { fileSecrets } from './secrets.ts'

function partsFor(scene: Scene, settings: OAuthSettings = scene.settings, scope = 'mail'): BootstrapParts {
  return { ...scene.parts({ scope }), authorization: createAuthorization(settings), loginHint: 'ada@example.com' }
}

/** A browser that follows the provider's redirect, and whatever a test does instead. */
function run(
  parts: BootstrapParts,
  browse: (url: string) => Promise<unknown>,
  signal = never(),
): { readonly result: Promise<Bootstrapped>; readonly browsed: Promise<unknown> } {
  let browsed: Promise<unknown> = Promise.resolve()
  const steps = {
    paste: false,
    show: (url: string): void => {
      browsed = browse(url)
      browsed.catch(() => undefined)
    },
    pasted: () => Promise.reject(new Error('nobody pastes')),
  }
  // What the browser saw must be right as well.
  const result = bootstrap(parts, steps, signal).then(async (bootstrapped) => {
    await browsed
    return bootstrapped
  })
  const seen = result.catch(() => undefined).then(() => browsed)
  seen.catch(() => undefined)
  return { result, browsed: seen }
}

const follow = async (url: string): Promise<{ status: number; page: string; headers: Headers }> => {
  const response = await fetch(url)
  return { status: response.status, page: await response.text(), headers: response.headers }
}
const callbackOf = async (url: string): Promise<string> =>
  (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''

describe('with Google', () => {
  test('a person consents on the page, and the account opens with what was stored; revoked, it asks again', async () => {
    const google = await startGoogle()
    onTestFinished(() => google.close())
    const scene = await setScene()
    const scope = 'https://mail.google.com/'
    const parts = { ...partsFor(scene, google.settings, scope), loginHint: ADDRESS }
    let shown = new URL('about:blank')
    const { result, browsed } = run(parts, async (url) => {
      shown = new URL(url)
      return follow(await consent(url))
    })
    expect(await result).toEqual({ missing: [], extra: [], mayWrite: true })
    expect(await browsed).toMatchObject({ status: 200 })
    expect(Object.fromEntries(shown.searchParams)).toMatchObject({
      ...{ access_type: 'offline', prompt: 'consent', login_hint: ADDRESS, scope, response_type: 'code' },
      ...{ code_challenge_method: 'S256', redirect_uri: `http://127.0.0.1:${google.settings.redirectPort}/callback` },
    })
    const endpoint = createTokenEndpoint(google.settings)
    const work = scene.access({ scope, endpoint })
    expect(await google.ownerOf(await tokenOf(work))).toBe(ADDRESS)
    await google.revoke(await parts.secrets.read(REF))
    const later = scene.access({ scope, endpoint })
    expect((await failureOf(later.credentials(never()))).message).toContain('postern oauth --account work')
    expect((await later.standing()).state).toBe('needs_rebootstrap')
    await run(parts, async (url) => follow(await consent(url))).result
    expect((await later.standing()).state).toBe('active')
    expect(await google.ownerOf(await tokenOf(later))).toBe(ADDRESS)
  })

  test('PKCE is real: the code with another verifier is worth nothing', async () => {
    const google = await startGoogle()
    onTestFinished(() => google.close())
    const scene = await setScene()
    const authorization = createAuthorization(google.settings)
    const request = { scope: 'x', loginHint: undefined, paste: true }
    const [mine, theirs] = [await authorization.begin(request, never()), await authorization.begin(request, never())]
    const code = new URL(await consent(theirs.url)).searchParams.get('code') ?? ''
    expect(await failureOf(mine.redeem(code))).toMatchObject({ code: 'auth_failed' })
    expect(scene.provider.asked('authorization_code')).toBe(0)
  })

  test('a wrong client secret is told by its setting', async () => {
    const google = await startGoogle()
    onTestFinished(() => google.close())
    const parts = partsFor(await setScene(), { ...google.settings, clientSecret: 'wrong' })
    const { result } = run(parts, async (url) => follow(await consent(url)))
    expect((await failureOf(result)).message).toContain('IMAP_MCP_OAUTH_CLIENT_SECRET')
  })
})

describe('what comes back', () => {
  test('the page says that it can be closed, keeps nothing and runs nothing', async () => {
    const { result, browsed } = run(partsFor(await setScene()), follow)
    await result
    const { page, headers } = (await browsed) as Awaited<ReturnType<typeof follow>>
    expect(page).toContain('can be closed')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('an answer with another state is turned away, and the right one still counts', async () => {
    const { result } = run(partsFor(await setScene()), async (url) => {
      const right = await callbackOf(url)
      const wrong = new URL(right)
      wrong.searchParams.set('state', 'guessed')
      expect((await follow(wrong.href)).status).toBe(400)
      wrong.searchParams.delete('state')
      expect((await follow(wrong.href)).status).toBe(400)
      return follow(right)
    })
    expect(await result).toMatchObject({ missing: [] })
  })

  test('guessing on and on ends it', async () => {
    const { result } = run(partsFor(await setScene()), async (url) => {
      const wrong = new URL(await callbackOf(url))
      wrong.searchParams.set('state', 'guessed')
      for (let i = 0; i < 110; i += 1) await follow(wrong.href)
    })
    expect((await failureOf(result)).message).toContain('interferes')
  })

  test('one answer is used once', async () => {
    const scene = await setScene()
    const { result, browsed } = run(partsFor(scene), async (url) => {
      const right = await callbackOf(url)
      const statuses = await Promise.all([follow(right), follow(right)].map((page) => page.catch(() => undefined)))
      const again = await follow(right).catch(() => undefined)
      return [...statuses, again].map((page) => page?.status)
    })
    await result
    const statuses = (await browsed) as (number | undefined)[]
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => status === undefined || status === 200 || status === 409)).toBe(true)
    expect(scene.provider.asked('authorization_code')).toBe(1)
  })

  test('requests that no browser of ours would send change nothing', async () => {
    const { result } = run(partsFor(await setScene()), async (url) => {
      const right = new URL(await callbackOf(url))
      const path = right.pathname + right.search
      const raw = (head: string): Promise<string> => rawRequest(Number(right.port), head)
      const statuses = [
        await raw(`GET ${path} HTTP/1.1\r\nHost: evil.example:${right.port}\r\n\r\n`),
        await raw(`GET ${path} HTTP/1.1\r\nHost: localhost:${right.port}\r\n\r\n`),
        await raw(`GET ${path} HTTP/1.0\r\n\r\n`),
        await raw(`POST ${path} HTTP/1.1\r\nHost: ${right.host}\r\nContent-Length: 0\r\n\r\n`),
        await raw(`GET http://evil.example${path} HTTP/1.1\r\nHost: ${right.host}\r\n\r\n`),
        await raw(`GET /other${right.search} HTTP/1.1\r\nHost: ${right.host}\r\n\r\n`),
        await raw(`GET /callback/../x${right.search} HTTP/1.1\r\nHost: ${right.host}\r\n\r\n`),
        await raw(`GET //evil.example/callback${right.search} HTTP/1.1\r\nHost: ${right.host}\r\n\r\n`),
        await raw(`GET /callback?state=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: ${right.host}\r\n\r\n`),
        await raw('\u0000\u0001\u0002 not http at all\r\n\r\n'),
      ]
      expect(statuses).toEqual(['404', '404', '404', '404', '404', '404', '404', '404', '431', '400'])
      return follow(right.href)
    })
    expect(await result).toMatchObject({ missing: [] })
  })

  test('it listens on this machine only', async () => {
    const { result } = run(partsFor(await setScene()), async (url) => {
      const right = new URL(await callbackOf(url))
      await expect(rawRequest(Number(right.port), 'GET / HTTP/1.1\r\n\r\n', '::1')).rejects.toThrow()
      return follow(right.href)
    })
    await result
  })

  test.each([
    ['access_denied', 'somebody said no'],
    ['invalid_scope', 'oauth_scope'],
    ['server_error', 'for the moment'],
    ['<script>made up</script>', 'ended the request in the browser'],
  ])('an error of the provider is told in our words: %s', async (error, words) => {
    const scene = await setScene({
      tamper: (answer) => {
        answer.delete('code')
        answer.set('error', error)
        answer.set('error_description', 'server words')
      },
    })
    const failure = await failureOf(run(partsFor(scene), follow).result)
    expect(failure).toMatchObject({ code: 'rejected' })
    expect(failure.message).toContain(words)
    expect(failure.message).not.toMatch(/script|server words/)
  })

  test('a parameter that comes twice is nobody’s answer', async () => {
    const scene = await setScene({ tamper: (answer) => answer.append('code', 'another') })
    expect(await failureOf(run(partsFor(scene), follow).result)).toMatchObject({ code: 'rejected' })
    expect(scene.provider.asked('authorization_code')).toBe(0)
  })
})

describe('the issuer', () => {
  const described = (scene: Scene): OAuthSettings => ({
    ...{ provider: 'generic', clientId: 'postern', issuer: scene.provider.url },
  })

  test('a provider is found by its own description, and its name in the answer is checked', async () => {
    const scene = await setScene({ announceIssuer: true })
    expect(await run(partsFor(scene, described(scene)), follow).result).toMatchObject({ missing: [] })
  })

  test.each([
    ['another one', (answer: URLSearchParams) => answer.set('iss', 'https://evil.example')],
    ['none, though it was promised', (answer: URLSearchParams) => answer.delete('iss')],
  ])('%s: the code goes nowhere', async (_, tamper) => {
    const scene = await setScene({ announceIssuer: true, tamper })
    const failure = await failureOf(run(partsFor(scene, described(scene)), follow).result)
    expect(failure.message).toContain('another provider')
    expect(scene.provider.asked('authorization_code')).toBe(0)
  })

  test('a description of somebody else is not believed', async () => {
    const scene = await setScene()
    const elsewhere = scene.provider.url.replace('127.0.0.1', 'localhost')
    const failure = await failureOf(run(partsFor(scene, { ...described(scene), issuer: elsewhere }), follow).result)
    expect(failure.code).toBe('unavailable')
  })

  test.each(['http://provider.example/token', 'ftp://127.0.0.1/', 'https://user:pw@provider.example/', 'nonsense'])(
    'nothing is sent to %s',
    async (tokenUrl) => {
      const scene = await setScene()
      const parts = partsFor(scene, { ...scene.settings, tokenUrl })
      const failure = await failureOf(run(parts, follow).result)
      expect(failure).toMatchObject({ code: 'invalid_input' })
      expect(failure.message).toContain('must be an https address')
    },
  )
})

describe('what is granted', () => {
  test('less and more than asked for are told, and the note makes it count', async () => {
    const scene = await setScene({ grantedScope: 'imap:read drive' })
    const result = await run(partsFor(scene, scene.settings, 'imap:read imap:write'), follow).result
    expect(result).toEqual({ missing: ['imap:write'], extra: ['drive'], mayWrite: true })
    const narrower = await setScene({ grantedScope: 'imap:read' })
    expect(await run(partsFor(narrower, narrower.settings, 'imap:read imap:write'), follow).result).toMatchObject({
      mayWrite: false,
    })
    expect((await narrower.access({ scope: 'imap:write imap:read' }).standing()).mayWrite).toBe(false)
  })

  test('nothing of it, or no refresh token, and nothing is stored', async () => {
    for (const manner of [{ grantedScope: 'openid' }, { withoutRefreshToken: true }]) {
      const scene = await setScene(manner)
      expect(await failureOf(run(partsFor(scene), follow).result)).toMatchObject({ code: 'rejected' })
      expect(await failureOf(scene.parts().secrets.read(REF))).toMatchObject({ code: 'not_found' })
    }
  })

  test('an id token that nobody asked for is not even read', async () => {
    const scene = await setScene({ idToken: 'not.a.token' })
    expect(await run(partsFor(scene), follow).result).toMatchObject({ missing: [] })
  })

  test('a changed scope is settled by a new grant', async () => {
    const scene = await setScene()
    await run(partsFor(scene), follow).result
    expect((await scene.access({ scope: 'more' }).standing()).state).toBe('needs_rebootstrap')
    await run(partsFor(scene, scene.settings, 'more'), follow).result
    expect((await scene.access({ scope: 'more' }).standing()).state).toBe('active')
    expect((await scene.access().standing()).state).toBe('needs_rebootstrap')
  })

  test('a store that cannot be written is refused before anybody is sent anywhere', async () => {
    const directory = newDirectory()
    const scene = await setScene()
    const parts = {
      ...partsFor(scene),
      secrets: fileSecrets(directory, false),
      notes: createGrantNotes({ directory }),
      authorization: { begin: () => Promise.reject(new Error('nobody may be asked')) },
    }
    const failure = await failureOf(run(parts, follow).result)
    expect(failure).toMatchObject({ code: 'unsupported' })
    expect(failure.message).toContain('read-only')
  })
})

describe('the command', () => {
  interface Spoken {
    readonly code: number
    readonly text: string
  }

  async function command(
    parts: BootstrapParts,
    paste: boolean,
    person: (url: string) => Promise<string>,
  ): Promise<Spoken> {
    const spoken: string[] = []
    const say = (text: string): void => void spoken.push(text)
    let pasted: Promise<string> = Promise.resolve('')
    const code = await runOAuth(
      { account: 'work', paste },
      {
        run: (_, steps, signal) => bootstrap(parts, { ...steps, show: (url) => begin(url, steps.show) }, signal),
        terminal: { print: say, complain: say },
        interactive: false,
        openBrowser: async () => false,
        readLine: () => pasted,
        onStop: () => undefined,
      },
    )
    function begin(url: string, show: (url: string) => void): void {
      show(url)
      pasted = person(url)
    }
    return { code, text: spoken.join('') }
  }

  test.each([
    ['the whole address', (url: string) => url],
    ['the code alone', (url: string) => new URL(url).searchParams.get('code') ?? ''],
    ['the query alone', (url: string) => new URL(url).search],
  ])('takes %s by pasting, without listening', async (_, copied) => {
    const scene = await setScene()
    const parts = partsFor(scene)
    const { code, text } = await command(parts, true, async (url) => {
      const back = await callbackOf(url)
      await expect(fetch(back)).rejects.toThrow()
      return ` ${copied(back)} `
    })
    expect(code).toBe(0)
    expect(text).toContain('was granted')
    expect(await tokenOf(scene.access())).toMatch(/^access-/)
  })

  test('pasted with another state, or nonsense, it is refused', async () => {
    for (const pasted of ['', 'two words', 'http://127.0.0.1/callback?code=x&state=y', 'x'.repeat(20_000)]) {
      const scene = await setScene()
      const { code, text } = await command(partsFor(scene), true, async () => pasted)
      expect(code).toBe(1)
      expect(text).toContain('not the answer')
      expect(scene.provider.asked('authorization_code')).toBe(0)
    }
  })

  test('no code and no token is ever printed, noted or logged', async () => {
    const scene = await setScene()
    const parts = partsFor(scene)
    const first = await command(parts, false, async (url) => (await follow(url)).page)
    scene.provider.manner.fault = 'echo'
    const second = await command(parts, false, async (url) => (await follow(url)).page)
    expect([first.code, second.code]).toEqual([0, 1])
    const notes = readdirSync(join(scene.directory, 'oauth')).map((name) =>
      readFileSync(join(scene.directory, 'oauth', name), 'latin1'),
    )
    expect(scene.provider.secrets().length).toBeGreaterThan(3)
    const shown = [first.text, second.text, ...notes, ...scene.logged, ...process.argv].join('\n')
    for (const secret of scene.provider.secrets()) expect(shown).not.toContain(secret)
  })

  test('the waiting ends when it is stopped, and the port is free again', async () => {
    const stop = new AbortController()
    let port = 0
    const { result } = run(
      partsFor(await setScene()),
      async (url) => {
        port = Number(new URL(await callbackOf(url)).port)
        stop.abort(new Failure('cancelled', 'stopped; nothing was changed'))
      },
      stop.signal,
    )
    expect(await failureOf(result)).toMatchObject({ code: 'cancelled', message: 'stopped; nothing was changed' })
    await expect(rawRequest(port, 'GET / HTTP/1.1\r\n\r\n')).rejects.toThrow()
  })

  test('a port that is taken is said so', async () => {
    const scene = await setScene()
    const redirectPort = Number(new URL(scene.provider.url).port)
    const failure = await failureOf(run(partsFor(scene, { ...scene.settings, redirectPort }), follow).result)
    expect(failure.message).toContain(`${redirectPort}`)
  })
})

test('Microsoft is sent back to localhost without a path', async () => {
  const scene = await setScene()
  let redirect = ''
  const { result } = run(partsFor(scene, { ...scene.settings, provider: 'microsoft' }), async (url) => {
    redirect = new URL(url).searchParams.get('redirect_uri') ?? ''
    const back = new URL(await callbackOf(url))
    // As a browser does, whatever address this name has here.
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: back.port, path: `/${back.search}`, headers: { Host: back.host } }
      request(options, resolve).on('error', reject).end()
    })
  })
  expect(await result).toMatchObject({ missing: [] })
  expect(redirect).toMatch(/^http:\/\/localhost:\d+\/$/)
})

/** The status of what comes back. */
function rawRequest(port: number, head: string, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host)
    let said = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      said += chunk
    })
    socket.on('error', reject).on('close', () => resolve(/^HTTP\/1\.\d (\d{3})/.exec(said)?.[1] ?? said))
    socket.end(head)
  })
}
