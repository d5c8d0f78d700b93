import { describe, expect, test } from 'vitest'
import { Failure } from '../../../core/failure.ts'
import { Pool, type Pooled } from './pool.ts'

const drop = (): void => undefined
const LOG = { debug: drop, info: drop, warn: drop, error: drop }
const never = new AbortController().signal

function fakeSession(rawName?: string): Pooled {
  const state = { dead: false }
  const dialogue: Pooled['dialogue'] = {
    onEnd: drop,
    close: () => {
      state.dead = true
      dialogue.onEnd()
    },
    abandon: () => {
      state.dead = true
    },
  }
  return {
    dialogue,
    selected: rawName === undefined ? undefined : { rawName },
    get dead() {
      return state.dead
    },
  }
}

function poolOf(
  open: (count: number, signal: AbortSignal) => Promise<Pooled>,
  max = 2,
): { pool: Pool<Pooled>; opened(): number } {
  let count = 0
  const pool = new Pool({ max, idleCloseMs: 60_000, account: 'work', open: (signal) => open(++count, signal) }, LOG)
  return { pool, opened: () => count }
}

describe('the pool', () => {
  test('opens no more connections than it may, and serves waiters in their order', async () => {
    const { pool, opened } = poolOf(async () => fakeSession(), 2)
    const [a, b] = await Promise.all([pool.acquire(undefined, never), pool.acquire(undefined, never)])
    const order: string[] = []
    const third = pool.acquire(undefined, never).then((session) => order.push('third') && session)
    const fourth = pool.acquire(undefined, never).then((session) => order.push('fourth') && session)
    pool.release(a)
    pool.release(b)
    await Promise.all([third, fourth])
    expect([order, opened()]).toEqual([['third', 'fourth'], 2])
  })

  test('prefers the connection that has the mailbox open', async () => {
    const sessions = [fakeSession('one'), fakeSession('two')]
    const { pool } = poolOf(async (count) => sessions[count - 1] ?? fakeSession())
    const lent = await Promise.all([pool.acquire(undefined, never), pool.acquire(undefined, never)])
    for (const session of lent) pool.release(session)
    expect(await pool.acquire('two', never)).toBe(sessions[1])
  })

  test('never lends a connection that died while idle', async () => {
    const { pool, opened } = poolOf(async () => fakeSession())
    const first = await pool.acquire(undefined, never)
    pool.release(first)
    first.dialogue.close()
    expect(await pool.acquire(undefined, never)).not.toBe(first)
    expect(opened()).toBe(2)
  })

  test('tells all waiters when the login is refused', async () => {
    const refused = new Failure('auth_failed', 'no')
    const { pool, opened } = poolOf(() => Promise.reject(refused), 1)
    const results = await Promise.allSettled(Array.from({ length: 9 }, () => pool.acquire(undefined, never)))
    expect(results.every((result) => result.status === 'rejected' && result.reason === refused)).toBe(true)
    expect(opened()).toBe(1)
  })

  test('lets waiters wait for a connection at hand when no further one can be had', async () => {
    const { pool } = poolOf(async (count) => {
      if (count === 1) return fakeSession()
      throw new Failure('unavailable', 'too many')
    }, 3)
    const first = await pool.acquire(undefined, never)
    const second = pool.acquire(undefined, never)
    await new Promise((resolve) => setImmediate(resolve))
    pool.release(first)
    expect(await second).toBe(first)
  })

  test('fails a waiter when there is none to wait for', async () => {
    const { pool } = poolOf(() => Promise.reject(new Failure('unavailable', 'down')))
    await expect(pool.acquire(undefined, never)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a connection that fails is no failure of those who came while it was being opened', async () => {
    const cut = Promise.withResolvers<Pooled>()
    const { pool, opened } = poolOf(async (count) => (count === 1 ? cut.promise : fakeSession()), 1)
    const first = pool.acquire(undefined, never)
    const later = pool.acquire(undefined, never)
    cut.reject(new Failure('unavailable', 'cut'))
    await expect(first).rejects.toMatchObject({ message: 'cut' })
    pool.release(await later)
    expect(opened()).toBe(2)
  })

  test('lets a waiter go when its signal aborts, and stops opening for nobody', async () => {
    const aborted: boolean[] = []
    const { pool } = poolOf(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(true)
            reject(new Failure('cancelled', 'stopped'))
          })
        }),
    )
    const stop = new AbortController()
    const waiting = pool.acquire(undefined, stop.signal)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    expect(aborted).toEqual([true])
  })

  test('an opening given up because one waiter left does not fail those who came later', async () => {
    let give: (session: Pooled) => void = drop
    const { pool, opened } = poolOf(
      (_, signal) =>
        new Promise((resolve, reject) => {
          give = resolve
          signal.addEventListener('abort', () => setImmediate(() => reject(new Failure('cancelled', 'stopped'))))
        }),
      1,
    )
    const stop = new AbortController()
    const first = pool.acquire(undefined, stop.signal)
    stop.abort()
    const second = pool.acquire(undefined, never)
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(opened).toBe(2)
    const session = fakeSession()
    give(session)
    expect(await second).toBe(session)
  })

  test('refuses everybody after it was closed, and ends what is lent', async () => {
    const { pool } = poolOf(async () => fakeSession(), 1)
    const lent = await pool.acquire(undefined, never)
    const waiting = pool.acquire(undefined, never)
    pool.close()
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    await expect(pool.acquire(undefined, never)).rejects.toMatchObject({ code: 'unavailable' })
    expect(lent.dead).toBe(true)
  })
})
