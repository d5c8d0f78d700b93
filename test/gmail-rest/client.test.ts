/** The client on an emulated Gmail behind a line that makes faults. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGmailClient, segment } from '../../src/adapters/gmail/client/client.ts'
import type { Failure } from '../../src/core/failure.ts'
import { silentLog } from '../dovecot/silent-log.ts'
import { never } from '../mail-source/bench.ts'
import { letter } from '../mail-source/messages.ts'
import { type Damage, googleError, TOO_FAST } from './proxy.ts'
import { type GmailScene, gmailScene } from './scene.ts'

let scene: GmailScene
beforeEach(async () => {
  scene = await gmailScene()
})
afterEach(() => scene.close())

const BROKEN: Damage = { kind: 'answer', status: 503, body: googleError(503, 'backendError', 'UNAVAILABLE') }
const USER_TOO_FAST: Damage = {
  kind: 'answer',
  status: 403,
  body: googleError(403, 'userRateLimitExceeded', 'RESOURCE_EXHAUSTED'),
}
const NOT_GRANTED: Damage = {
  kind: 'answer',
  status: 403,
  body: googleError(403, 'insufficientPermissions', 'PERMISSION_DENIED'),
}

const labels = () => scene.client.read({ path: 'labels' }, never())
const send = () =>
  scene.client.write(
    {
      method: 'POST',
      path: 'messages',
      body: { labelIds: ['INBOX'] },
      mime: { bytes: Buffer.from(letter({})), in: 'message' },
    },
    never(),
  )

describe('a read', () => {
  test('is answered', async () => {
    expect(await labels()).toMatchObject({ labels: expect.arrayContaining([expect.objectContaining({ id: 'INBOX' })]) })
    expect(scene.pauses).toEqual([])
  })

  test.each([
    ['a fault of Gmail', BROKEN],
    ['a user who is too fast', USER_TOO_FAST],
    ['a lost connection', { kind: 'drop_after' } as const],
    ['half an answer', { kind: 'truncate' } as const],
    ['half an answer and a lost connection', { kind: 'truncate', cut: true } as const],
  ])('is asked again after %s: 1, 2, 4 s, and no more', async (_what, what) => {
    scene.proxy.fault({ times: 3, what })
    expect(await labels()).toHaveProperty('labels')
    expect(scene.pauses).toEqual([1000, 2000, 4000])
    scene.proxy.fault({ times: 4, what })
    await expect(labels()).rejects.toMatchObject({ name: 'Failure', code: 'unavailable' })
    expect(scene.proxy.requests).toHaveLength(8)
  })

  test('waits as long as Gmail says', async () => {
    scene.proxy.fault({ what: { ...TOO_FAST, headers: { 'Retry-After': '7' } } as Damage })
    await labels()
    expect(scene.pauses).toEqual([7000])
  })

  test('is given up where Gmail wants it to wait very long, and says how long', async () => {
    scene.proxy.fault({ what: { ...TOO_FAST, headers: { 'Retry-After': '3600' } } as Damage })
    await expect(labels()).rejects.toMatchObject({ code: 'unavailable', details: { retry_after_seconds: 3600 } })
    expect(scene.pauses).toEqual([])
  })

  test('with a token that is refused gets another, once', async () => {
    scene.proxy.fault({ what: { kind: 'answer', status: 401, body: googleError(401, 'authError', 'UNAUTHENTICATED') } })
    expect(await labels()).toHaveProperty('labels')
    expect(scene.access.refusals).toBe(1)
    scene.proxy.fault({ times: 2, what: { kind: 'answer', status: 401 } })
    await expect(labels()).rejects.toMatchObject({ code: 'auth_failed' })
    expect(scene.access.refusals).toBe(2)
  })

  test('of what is not there is not_found, and is not asked for again', async () => {
    await expect(scene.client.read({ path: 'messages/none' }, never())).rejects.toMatchObject({ code: 'not_found' })
    expect(scene.proxy.requests).toHaveLength(1)
  })

  test('that access does not cover is auth_failed, and no failure quotes the server', async () => {
    scene.proxy.fault({ what: NOT_GRANTED })
    const failure = await labels().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'auth_failed' })
    expect((failure as Failure).message).not.toContain('words of Google')
    expect(String((failure as Failure).cause)).toContain('words of Google')
  })

  test('longer than it may be is not read to its end', async () => {
    await expect(scene.client.read({ path: 'labels', maxBytes: 100 }, never())).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  test('ends when the caller leaves', async () => {
    const leaving = new AbortController()
    scene.proxy.fault({ what: { kind: 'delay', milliseconds: 20_000 } })
    const reading = scene.client.read({ path: 'labels' }, leaving.signal)
    await expect.poll(() => scene.proxy.requests.length).toBe(1)
    leaving.abort()
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' })
  })

  test('that is not answered in time is a timeout', async () => {
    const { access, times } = scene
    const hurried = createGmailClient({ baseUrl: scene.url, access, log: silentLog, times, timeoutMs: 50 })
    scene.proxy.fault({ what: { kind: 'delay', milliseconds: 20_000 } })
    await expect(hurried.read({ path: 'labels' }, never())).rejects.toMatchObject({ code: 'timeout' })
  })

  test('where nobody listens is unavailable at once', async () => {
    await scene.proxy.close()
    await expect(labels()).rejects.toMatchObject({ code: 'unavailable' })
    expect(scene.pauses).toEqual([])
    scene = await gmailScene()
  })

  test('with a password instead of a token is refused before it leaves', async () => {
    const access = { ...scene.access, credentials: async () => ({ kind: 'password', password: 'x' }) as const }
    const client = createGmailClient({ baseUrl: scene.url, access, log: silentLog })
    await expect(client.read({ path: 'labels' }, never())).rejects.toMatchObject({ code: 'auth_failed' })
    expect(scene.proxy.requests).toEqual([])
  })
})

describe('a batch', () => {
  test('answers in order, and says what is missing', async () => {
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, index) => scene.deliver(letter({ subject: `${index}` }))),
    )
    const asked = [...ids.slice(0, 15), 'gone', ...ids.slice(15)]
    const answers = await scene.client.batch(
      asked.map((id) => ({ path: `messages/${segment(id)}`, query: { format: 'minimal' } })),
      never(),
    )
    expect(answers.map((one) => (one.kind === 'found' ? (one.value as { id: string }).id : 'gone'))).toEqual(asked)
    expect(scene.proxy.requests).toHaveLength(31)
  })

  test('asks again for just the one that failed, and fails as one where that fails', async () => {
    const calls = ['INBOX', 'SENT', 'TRASH'].map((id) => ({ path: `labels/${id}` }))
    scene.proxy.fault({ on: /SENT/, what: BROKEN })
    expect((await scene.client.batch(calls, never())).map(({ kind }) => kind)).toEqual(['found', 'found', 'found'])
    expect(scene.proxy.requests).toHaveLength(4)
    scene.proxy.fault({ on: /SENT/, what: NOT_GRANTED })
    await expect(scene.client.batch(calls, never())).rejects.toMatchObject({ code: 'auth_failed' })
  })
})

describe('a write', () => {
  test('whose answer is lost was done once, and its outcome is unknown', async () => {
    scene.proxy.fault({ what: { kind: 'drop_after' } })
    await expect(send()).rejects.toMatchObject({ code: 'outcome_unknown', retryable: false })
    expect(scene.held()).toHaveLength(1)
    expect(scene.proxy.requests).toHaveLength(1)
  })

  test.each([
    ['is cut off on its way', { kind: 'drop_before' } as const, 'outcome_unknown'],
    ['meets a fault of Gmail', BROKEN, 'outcome_unknown'],
    ['gets half an answer', { kind: 'truncate' } as const, 'outcome_unknown'],
    ['is too fast', TOO_FAST, 'unavailable'],
    ['is not granted', NOT_GRANTED, 'auth_failed'],
    ['is refused', { kind: 'answer', status: 400 } as const, 'rejected'],
  ])('that %s is sent once', async (_what, what, code) => {
    scene.proxy.fault({ what: what as Damage })
    await expect(send()).rejects.toMatchObject({ name: 'Failure', code })
    expect(scene.proxy.requests).toHaveLength(1)
    expect(scene.pauses).toEqual([])
  })

  test('with a token that is refused is sent again with another: nothing was done', async () => {
    scene.proxy.fault({ what: { kind: 'answer', status: 401 } })
    await send()
    expect(scene.held()).toHaveLength(1)
    expect(scene.access.refusals).toBe(1)
  })

  test('to where nobody listens has certainly not been done', async () => {
    await scene.proxy.close()
    await expect(send()).rejects.toMatchObject({ code: 'unavailable' })
    scene = await gmailScene()
  })

  test('that the caller left before it was sent is cancelled, after that unknown', async () => {
    const call = { method: 'POST', path: 'labels', body: { name: 'x' } } as const
    await expect(scene.client.write(call, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    expect(scene.proxy.requests).toEqual([])
    const leaving = new AbortController()
    scene.proxy.fault({ what: { kind: 'delay', milliseconds: 20_000 } })
    const writing = scene.client.write(call, leaving.signal)
    await expect.poll(() => scene.proxy.requests.length).toBe(1)
    leaving.abort()
    await expect(writing).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  test.each([10, 4_000_000])('takes a message with %i bytes of body as it is', async (length) => {
    const bytes = Buffer.concat([Buffer.from(letter({})), Buffer.alloc(length, 0xe9), Buffer.from('\r\n')])
    await scene.client.write(
      { method: 'POST', path: 'messages', body: { labelIds: ['INBOX'] }, mime: { bytes, in: 'message' } },
      never(),
    )
    const [held] = scene.held()
    expect(Buffer.from(held?.raw ?? '', 'base64url').equals(bytes)).toBe(true)
    expect(held?.labelIds).toEqual(['INBOX'])
  })
})

test.each(['a/b', 'a?b', '..', '.', '', 'a#b', '%2f'])('the id %j stays one segment of the path', async (id) => {
  const reading = async () => scene.client.read({ path: `messages/${segment(id)}` }, never())
  await expect(reading()).rejects.toMatchObject({ code: 'not_found' })
  expect(scene.proxy.requests.every((line) => line.startsWith('GET /gmail/v1/users/me/messages/'))).toBe(true)
})
