/** The console's own lock: links that sign in once, sessions that end, and nothing else that opens it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createConsoleKeys } from '../../src/adapters/console-keys/key-files.ts'
import { Failure } from '../../src/core/failure.ts'
import { createLock } from '../../src/engine/console/lock.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { type Scene, startScene } from './scene.ts'
import { Visitor } from './visitor.ts'

describe('at the door', () => {
  let scene: Scene

  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene.close())

  test('a link signs in once, for half a day, with a cookie that scripts and other sites cannot use', async () => {
    const link = await scene.door.newLink(scene.origin)
    const visitor = new Visitor(scene.origin)
    const answer = await visitor.signIn(link)
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^postern_console=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/console; Max-Age=43200$/),
    ])
    const { user, devMode, version } = answer.body
    expect([user, devMode, version]).toEqual([userInfo().username, false, '0.0.0-test'])
    expect((await visitor.get('/console/api/session')).body).toEqual(answer.body)

    const second = await new Visitor(scene.origin).signIn(link)
    expect([second.status, second.body.error.code]).toEqual([401, 'sign_in_failed'])
    expect(second.headers.getSetCookie()).toEqual([])
    expect((await visitor.get('/console/api/outbox')).status).toBe(200)
  })

  test('over TLS the cookie stays there', async () => {
    const visitor = new Visitor(scene.origin)
    const token = new URL(await scene.door.newLink(scene.origin)).searchParams.get('token')
    const { host } = new URL(scene.origin)
    const answer = await visitor.post('/console/api/sign-in', { token }, { Origin: `https://${host}` })
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Secure$/)
  })

  test('of many who use a link at once, one comes in', async () => {
    const link = await scene.door.newLink(scene.origin)
    const answers = await Promise.all(Array.from({ length: 20 }, () => new Visitor(scene.origin).signIn(link)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('opening a link uses nothing up, however often a preview does', async () => {
    const link = await scene.door.newLink(scene.origin)
    const visitor = new Visitor(scene.origin)
    const path = link.slice(scene.origin.length)
    for (let time = 0; time < 3; time++) {
      const { headers } = await visitor.get(path)
      expect(headers.getSetCookie()).toEqual([])
    }
    await fetch(link, { method: 'HEAD' })
    expect((await visitor.signIn(link)).status).toBe(200)
  })

  test('a session ends when its owner leaves', async () => {
    const visitor = await scene.visitor()
    const other = await scene.visitor()
    expect((await visitor.post('/console/api/sign-out', {})).status).toBe(200)
    for (const path of ['session', 'outbox', 'activity', 'access', 'accounts', 'transfers', 'events']) {
      const { status, body } = await visitor.get(`/console/api/${path}`)
      expect([status, body.error.code]).toEqual([401, 'no_session'])
    }
    expect((await other.get('/console/api/session')).status).toBe(200)
  })

  test('coming, leaving and being refused are on record, with who and from where', async () => {
    const visitor = await scene.visitor()
    await visitor.post('/console/api/sign-out', {})
    await visitor.post('/console/api/sign-in', { token: 'none-of-ours' })
    const last = scene.records().slice(-3)
    const who = { caller_id: userInfo().username, caller_addr: '127.0.0.1', decision: 'ALLOW', reason: 'console' }
    expect(last).toMatchObject([
      { ...who, tool: 'console_sign_in' },
      { ...who, tool: 'console_sign_out' },
      { tool: 'auth_failed', decision: 'DENY', reason: 'console_wrong_link', caller_addr: '127.0.0.1' },
    ])
    expect(JSON.stringify(last)).not.toContain('none-of-ours')
  })
})

test('a link is good for ten minutes, a session for half a day, by the clock', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pk-'))
  const keys = createConsoleKeys({ directory })
  let now = Date.now()
  const recorded: string[] = []
  const audit = { append: async ({ tool }: { tool: string }) => ({ seq: recorded.push(tool) }) }
  const lock = createLock({ keys, audit, clock: { now: () => now, elapsed: () => now }, log: silentLog, user: 'ada' })
  const [late, early] = [await lock.newLink(), await lock.newLink()]
  now += 10 * 60 * 1000 - 1
  const signedIn = await lock.signIn(early, '127.0.0.1')
  now += 1
  expect(await lock.signIn(late, '127.0.0.1')).toBeUndefined()
  now += 12 * 60 * 60 * 1000 - 2
  expect(await lock.session(signedIn?.secret ?? '')).toMatchObject({ user: 'ada' })
  now += 1
  expect(await lock.session(signedIn?.secret ?? '')).toBeUndefined()
  expect(recorded).toEqual(['console_sign_in'])
  rmSync(directory, { recursive: true })
})

test('a sign-in that cannot be put on record is none', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pk-'))
  const keys = createConsoleKeys({ directory })
  const clock = { now: () => Date.now(), elapsed: () => 0 }
  const audit = { append: () => Promise.reject(new Failure('unavailable', 'the disk is full')) }
  const lock = createLock({ keys, audit, clock, log: silentLog, user: 'ada' })
  const link = await lock.newLink()
  await expect(lock.signIn(link, '127.0.0.1')).rejects.toMatchObject({ code: 'unavailable' })
  expect(readdirSync(join(directory, 'console'))).toEqual([])
  // A refusal stands all the same.
  await lock.refused('console_wrong_csrf', '127.0.0.1')
  rmSync(directory, { recursive: true })
})

test('a session is there after a restart, and what lies on disk opens nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pk-'))
  const first = await startScene({ directory })
  const visitor = await first.visitor()
  await first.door.newLink(first.origin)
  await first.close()

  const second = await startScene({ directory })
  const returned = new Visitor(second.origin)
  returned.cookie = visitor.cookie
  const { status, body } = await returned.get('/console/api/session')
  expect([status, body.csrf]).toEqual([200, visitor.csrf])

  const folder = join(directory, 'console')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const names = readdirSync(folder)
  expect(names).toHaveLength(2)
  const secret = visitor.cookie?.split('=')[1] ?? 'none'
  for (const name of names) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(name + readFileSync(join(folder, name), 'utf8')).not.toContain(secret)
    // Nor does its name, used as if it were the secret.
    for (const guess of [name, name.replace(/^\w+-|\.json$/g, ''), visitor.csrf]) {
      const thief = new Visitor(second.origin)
      thief.cookie = `postern_console=${guess}`
      expect((await thief.get('/console/api/session')).status).toBe(401)
    }
  }
  await second.close()
  rmSync(directory, { recursive: true })
})

describe('keys', () => {
  let directory: string

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pk-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('a link is good until it expires, and then it is gone', async () => {
    const keys = createConsoleKeys({ directory })
    const [one, other] = [await keys.newLink(5_000_000_000_000), await keys.newLink(5_000_000_000_000)]
    expect(await keys.useLink(one, 4_999_999_999_999)).toBe(true)
    expect(await keys.useLink(other, 5_000_000_000_000)).toBe(false)
    expect(await keys.useLink(other, 1)).toBe(false)
  })

  test('a session ends by itself', async () => {
    const keys = createConsoleKeys({ directory })
    const secret = await keys.newSession({ user: 'ada', expires: 5_000_000_000_000 })
    expect(await keys.session(secret, 4_999_999_999_999)).toMatchObject({ user: 'ada' })
    expect(await keys.session(secret, 5_000_000_000_000)).toBeUndefined()
  })

  test('what has expired is swept away with the next key', async () => {
    const keys = createConsoleKeys({ directory })
    await keys.newLink(1)
    await keys.newSession({ user: 'ada', expires: 1 })
    await keys.newLink(5_000_000_000_000)
    expect(readdirSync(join(directory, 'console'))).toHaveLength(1)
  })

  test('a link is no session and a session no link', async () => {
    const keys = createConsoleKeys({ directory })
    const link = await keys.newLink(5_000_000_000_000)
    const session = await keys.newSession({ user: 'ada', expires: 5_000_000_000_000 })
    expect(await keys.session(link, 0)).toBeUndefined()
    expect(await keys.useLink(session, 0)).toBe(false)
    expect(await keys.session(session, 0)).toBeDefined()
  })

  test.each(['', '../../etc/passwd', 'x'.repeat(43).replace('x', '/'), `${'a'.repeat(42)}\0`, 'a'.repeat(5000)])(
    'a secret such as %j reaches no file',
    async (secret) => {
      const keys = createConsoleKeys({ directory })
      expect(await keys.useLink(secret, 0)).toBe(false)
      expect(await keys.session(secret, 0)).toBeUndefined()
      await keys.endSession(secret)
    },
  )

  test('a file that somebody damaged opens nothing', async () => {
    const keys = createConsoleKeys({ directory })
    const secret = await keys.newSession({ user: 'ada', expires: 5_000_000_000_000 })
    const [name = ''] = readdirSync(join(directory, 'console'))
    for (const text of ['', '{}', 'null', '{"expires":"never"}', '{"expires":9e99,"user":7}']) {
      writeFileSync(join(directory, 'console', name), text)
      expect(await keys.session(secret, 0)).toBeUndefined()
    }
  })

  test('a data directory that cannot be used is said so', async () => {
    writeFileSync(join(directory, 'file'), '')
    const keys = createConsoleKeys({ directory: join(directory, 'file') })
    await expect(keys.newLink(5_000_000_000_000)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
