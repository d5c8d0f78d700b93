import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import { createPasswordAccess } from '../../src/engine/credentials/password-access.ts'
import { failureOf, never, newDirectory, REF, type Scene, setScene, tokenOf } from './scene.ts'
import { fileSecrets } from './secrets.ts'

async function granted(...[manner]: Parameters<typeof setScene>): Promise<Scene> {
  const scene = await setScene(manner)
  await scene.parts().secrets.write(REF, scene.provider.grant('ada'))
  return scene
}

const HOUR = 3_600_000

describe('refreshing', () => {
  test('many calls at once cost one request, and the token serves until shortly before its end', async () => {
    const { access, provider, time, outcomes } = await granted()
    const work = access()
    const tokens = await Promise.all(Array.from({ length: 50 }, () => tokenOf(work)))
    expect(new Set(tokens).size).toBe(1)
    time.skip = HOUR - 301_000
    expect(await tokenOf(work)).toBe(tokens[0])
    expect(provider.asked('refresh_token')).toBe(1)
    time.skip = HOUR - 299_000
    expect(await tokenOf(work)).not.toBe(tokens[0])
    expect(provider.asked('refresh_token')).toBe(2)
    expect(outcomes).toEqual([
      { kind: 'refreshed', rotated: false },
      { kind: 'refreshed', rotated: false },
    ])
  })

  test('a short life is renewed at nine tenths', async () => {
    const { access, provider, time } = await granted({ expiresIn: 100 })
    const work = access()
    await tokenOf(work)
    time.skip = 85_000
    await tokenOf(work)
    expect(provider.asked('refresh_token')).toBe(1)
    time.skip = 91_000
    await tokenOf(work)
    expect(provider.asked('refresh_token')).toBe(2)
  })

  test('who gives up waiting gets his own failure, and the refresh goes on for the others', async () => {
    const { access, provider } = await granted()
    const work = access()
    const stop = new AbortController()
    const impatient = failureOf(work.credentials(stop.signal))
    const patient = tokenOf(work)
    stop.abort(new Failure('timeout', 'the call took too long'))
    expect(await impatient).toMatchObject({ code: 'timeout', message: 'the call took too long' })
    expect(await patient).toMatch(/^access-/)
    expect(provider.asked('refresh_token')).toBe(1)
    expect(await failureOf(work.credentials(stop.signal))).toMatchObject({ code: 'timeout' })
  })

  test('a refresh that cannot be recorded gives no token', async () => {
    const { access } = await granted()
    const work = access({ onRefresh: () => Promise.reject(new Failure('unavailable', 'no audit log')) })
    expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'unavailable', message: 'no audit log' })
  })
})

describe('a provider that is away', () => {
  test.each(['500', '503-html', '429', 'cut', 'garbage', 'huge', 'redirect'] as const)(
    '%s is unavailable and marks nothing',
    async (fault) => {
      const { access, provider, outcomes } = await granted({ fault })
      const work = access()
      const failure = await failureOf(work.credentials(never()))
      expect(failure).toMatchObject({ code: 'unavailable', retryable: true })
      expect(outcomes).toEqual([{ kind: 'failed', code: 'unavailable' }])
      expect(await work.standing()).toEqual({ state: 'active', mayWrite: true })
      provider.manner.fault = 'none'
      expect(await tokenOf(work)).toMatch(/^access-/)
    },
  )

  test('silence is a timeout, and nobody listening is unavailable', async () => {
    const { access, provider } = await granted({ fault: 'hang' })
    const work = access()
    expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'timeout' })
    await provider.close()
    expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'unavailable' })
    expect((await work.standing()).state).toBe('active')
  })

  test('while the token lasts it is used on', async () => {
    const { access, provider, time } = await granted()
    const work = access()
    const token = await tokenOf(work)
    provider.manner.fault = '500'
    time.skip = HOUR - 100_000
    expect(await tokenOf(work)).toBe(token)
    time.skip = HOUR + 1000
    expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'unavailable' })
  })

  test('a client that is not accepted says which settings to look at', async () => {
    const { access } = await granted({ fault: 'invalid_client' })
    const work = access()
    const failure = await failureOf(work.credentials(never()))
    expect(failure.code).toBe('auth_failed')
    expect(failure.message).toContain('IMAP_MCP_OAUTH_CLIENT_ID')
    expect((await work.standing()).state).toBe('active')
  })
})

describe('a grant that is over', () => {
  test('is told with the command, remembered by every process, and ends with a new refresh token', async () => {
    const { access, provider, outcomes, directory, parts } = await granted()
    provider.revokeAll()
    const failure = await failureOf(access().credentials(never()))
    expect(failure).toMatchObject({ code: 'auth_failed', details: { reason: 'needs_rebootstrap' } })
    expect(failure.message).toContain('postern oauth --account work')
    expect(outcomes).toEqual([{ kind: 'refused' }])
    const later = access()
    expect((await later.standing()).state).toBe('needs_rebootstrap')
    expect((await failureOf(later.credentials(never()))).message).toContain('postern oauth --account work')
    expect(provider.asked('refresh_token')).toBe(1)
    const [note = ''] = readdirSync(join(directory, 'oauth')).filter((name) => name.endsWith('.json'))
    expect(statSync(join(directory, 'oauth', note)).mode & 0o777).toBe(0o600)
    await parts().secrets.write(REF, provider.grant('ada'))
    expect((await later.standing()).state).toBe('active')
    expect(await tokenOf(later)).toMatch(/^access-/)
    expect(readFileSync(join(directory, 'oauth', note), 'utf8')).not.toContain('refused')
  })

  test('a token that another process has put there in the meantime is tried first', async () => {
    const { access, provider, parts } = await granted({ rotate: true })
    const { secrets } = parts()
    const [used, fresh] = [await secrets.read(REF), provider.grant('ada')]
    let reads = 0
    // The first look still sees the old one, which is used up.
    const stale = { ...secrets, read: async (ref: string) => (reads++ < 1 ? used : secrets.read(ref)) }
    await tokenOf(access())
    await secrets.write(REF, fresh)
    const work = access({ secrets: stale })
    expect(await tokenOf(work)).toMatch(/^access-/)
    expect((await work.standing()).state).toBe('active')
  })

  test('without a refresh token nobody has granted anything', async () => {
    const { access } = await setScene()
    const work = access()
    expect((await work.standing()).state).toBe('needs_rebootstrap')
    expect((await failureOf(work.credentials(never()))).message).toContain('nobody has granted access')
  })

  test('a note that cannot be read as one counts as no', async () => {
    const { access, directory } = await granted()
    await tokenOf(access())
    writeFileSync(join(directory, 'oauth', 'work.json'), '{"scope": 7}')
    const work = access()
    expect((await work.standing()).state).toBe('needs_rebootstrap')
    expect((await failureOf(work.credentials(never()))).message).toContain('damaged')
  })
})

describe('a mail server that says no', () => {
  test('to an old token gets a new one; to that as well, and the account waits for a person', async () => {
    const { access, provider, time } = await granted()
    const work = access()
    const first = await work.credentials(never())
    time.skip = 1_000_000
    await Promise.all([work.refused(first), work.refused(first)])
    const second = await work.credentials(never())
    expect(second).not.toEqual(first)
    await work.refused(first)
    expect((await work.standing()).state).toBe('active')
    await work.refused(second)
    expect((await access().standing()).state).toBe('needs_rebootstrap')
    const failure = await failureOf(work.credentials(never()))
    expect(failure.message).toContain('the mail server refuses')
    expect(provider.asked('refresh_token')).toBe(2)
  })

  test('to sending, however often, puts nothing aside: the mailbox may still be read', async () => {
    const { access, provider } = await granted()
    const work = access()
    const first = await work.credentials(never())
    await work.refused(first, 'sending')
    const second = await work.credentials(never())
    expect(second).not.toEqual(first)
    for (let times = 0; times < 3; times += 1) await work.refused(await work.credentials(never()), 'sending')
    expect(await work.credentials(never())).toEqual(second)
    expect([(await work.standing()).state, (await access().standing()).state]).toEqual(['active', 'active'])
    expect(provider.asked('refresh_token')).toBe(2)
    // What the mailbox's server says counts for itself.
    await work.refused(second)
    expect((await access().standing()).state).toBe('active')
    await work.refused(await work.credentials(never()))
    expect((await access().standing()).state).toBe('needs_rebootstrap')
  })

  test('long after the last time, it is only the age again', async () => {
    const { access, time } = await granted()
    const work = access()
    await work.refused(await work.credentials(never()))
    const second = await work.credentials(never())
    time.skip = 1_000_000
    await work.refused(second)
    expect((await work.standing()).state).toBe('active')
    expect(await tokenOf(work)).toMatch(/^access-/)
  })
})

describe('scopes', () => {
  test('another configured scope needs a new grant, the same one in another order does not', async () => {
    const { access } = await granted()
    await tokenOf(access({ scope: 'mail  contacts' }))
    expect((await access({ scope: 'contacts mail' }).standing()).state).toBe('active')
    const changed = access({ scope: 'mail' })
    expect((await changed.standing()).state).toBe('needs_rebootstrap')
    expect((await failureOf(changed.credentials(never()))).message).toContain('oauth_scope')
    expect((await access({ scope: 'mail contacts' }).standing()).state).toBe('active')
  })

  test('one that only reads may not write, whether configured or granted', async () => {
    const configured = await granted()
    const reading = 'https://www.googleapis.com/auth/gmail.readonly'
    expect((await configured.access({ scope: reading }).standing()).mayWrite).toBe(false)
    const narrowed = await granted({ grantedScope: 'imap:read' })
    const work = narrowed.access()
    await tokenOf(work)
    expect(await work.standing()).toEqual({ state: 'active', mayWrite: false })
    expect((await narrowed.access().standing()).mayWrite).toBe(false)
  })
})

describe('rotation', () => {
  test('the new refresh token is stored before its access token is used', async () => {
    const { access, parts, outcomes, time } = await granted({ rotate: true })
    const { secrets } = parts()
    const before = await secrets.read(REF)
    const seen: string[] = []
    const work = access({
      onRefresh: async () => void seen.push(await secrets.read(REF)),
    })
    for (const skip of [0, HOUR, 2 * HOUR]) {
      time.skip = skip
      await tokenOf(work)
    }
    expect(new Set([before, ...seen]).size).toBe(4)
    expect(outcomes).toEqual([])
  })

  test('where it cannot be stored for the moment it is not used, and not lost', async () => {
    const { access, parts, provider } = await granted({ rotate: true })
    const { secrets } = parts()
    let full = true
    const disk = {
      ...secrets,
      write: async (ref: string, secret: string) => {
        if (full) throw new Failure('unavailable', 'the disk is full')
        await secrets.write(ref, secret)
      },
    }
    const work = access({ secrets: disk })
    expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'unavailable' })
    expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'unavailable' })
    expect(provider.asked('refresh_token')).toBe(1)
    full = false
    expect(await tokenOf(work)).toMatch(/^access-/)
    expect((await work.standing()).state).toBe('active')
  })

  test('a store that cannot be written: it lives as long as the process, and the log says so', async () => {
    const { access, directory, time, logged } = await granted({ rotate: true })
    const work = access({ secrets: fileSecrets(join(directory, 'secrets'), false) })
    for (const skip of [0, HOUR, 2 * HOUR]) {
      time.skip = skip
      expect(await tokenOf(work)).toMatch(/^access-/)
    }
    expect(logged.join()).toContain('read-only')
  })

  test('a store that cannot be written: a person puts in another token, for another scope even', async () => {
    const { access, directory, provider, parts } = await granted()
    const secrets = fileSecrets(join(directory, 'secrets'), false)
    await tokenOf(access({ secrets }))
    const changed = access({ secrets, scope: 'more' })
    expect((await failureOf(changed.credentials(never()))).message).toContain('put a new refresh token into the secret')
    await parts().secrets.write(REF, provider.grant('ada', 'more'))
    expect(await tokenOf(changed)).toMatch(/^access-/)
    expect((await access({ secrets, scope: 'more' }).standing()).state).toBe('active')
  })
})

describe('token_cache', () => {
  test('persist_all begins with the token of the process before, memory_only does not', async () => {
    const { access, provider } = await granted()
    const token = await tokenOf(access({ tokenCache: 'persist_all' }))
    expect(await tokenOf(access({ tokenCache: 'persist_all' }))).toBe(token)
    expect(await tokenOf(access())).not.toBe(token)
    expect(provider.asked('refresh_token')).toBe(2)
  })

  test('a kept token is not used when it is old, refused, or of another grant', async () => {
    const { access, provider, time, parts } = await granted()
    const kept = { tokenCache: 'persist_all' } as const
    const first = await tokenOf(access(kept))
    const work = access(kept)
    await work.refused(await work.credentials(never()))
    const second = await tokenOf(work)
    expect(second).not.toBe(first)
    await parts().secrets.write(REF, provider.grant('ada'))
    const third = await tokenOf(access(kept))
    expect(third).not.toBe(second)
    time.skip = HOUR
    expect(await tokenOf(access(kept))).not.toBe(third)
  })

  test('memory_only leaves no access token behind, in no file', async () => {
    const { access, directory } = await granted()
    const token = await tokenOf(access())
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(1)
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain(token)
  })
})

test('no failure, log line, outcome or note ever holds a token, even where the provider sends it back', async () => {
  const { access, provider, logged, outcomes, directory, parts } = await granted({ rotate: true, fault: 'echo' })
  const failures = [await failureOf(access().credentials(never()))]
  expect(failures[0]).toMatchObject({ code: 'rejected' })
  provider.manner.fault = 'none'
  await tokenOf(access({ tokenCache: 'persist_all' }))
  provider.revokeAll()
  failures.push(await failureOf(access().credentials(never())))
  await parts().secrets.write(`${REF}.access_token`, 'not ours')
  failures.push(await failureOf(access({ tokenCache: 'persist_all' }).credentials(never())))
  const told = inspect(failures, { depth: 10, maxStringLength: null, showHidden: true })
  const notes = readdirSync(join(directory, 'oauth')).map((name) =>
    readFileSync(join(directory, 'oauth', name), 'latin1'),
  )
  const shown = JSON.stringify([told, logged, outcomes, notes])
  expect(provider.secrets().length).toBeGreaterThan(2)
  for (const secret of provider.secrets()) expect(shown).not.toContain(secret)
})

test('a password is read for every connection, and a missing one is no missing mail', async () => {
  const secrets = fileSecrets(newDirectory())
  const work = createPasswordAccess({ secrets, ref: REF })
  expect(await failureOf(work.credentials(never()))).toMatchObject({ code: 'auth_failed' })
  for (const password of ['one', 'two']) {
    await secrets.write(REF, password)
    expect(await work.credentials(never())).toEqual({ kind: 'password', password })
  }
  await work.refused({ kind: 'password', password: 'two' })
  expect(await work.standing()).toEqual({ state: 'active', mayWrite: true })
})
