/** What was written and is not there: on a disk that fails, and in a file that somebody has taken away. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { approvalAt, bytesOf, DAY, HOUR, NOW, newEntry } from './letters.ts'
import { approved, MANY_PENDING, newPath, openStore, queued } from './scene.ts'

const LIMIT = { most: 1, lengthMs: HOUR }

const disk = vi.hoisted(() => ({ beforeFlush: (): void => undefined }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const fdatasync = (file: number, done: (error: Error | null) => void): void => {
    try {
      disk.beforeFlush()
      real.fdatasync(file, done)
    } catch (error) {
      done(error as Error)
    }
  }
  return { ...real, fdatasync }
})

beforeEach(() => {
  disk.beforeFlush = () => undefined
})

/** Once. */
function failing(): void {
  disk.beforeFlush = () => {
    disk.beforeFlush = () => undefined
    throw Object.assign(new Error('the disk is broken'), { code: 'EIO' })
  }
}

describe('on a disk that fails', () => {
  test('a letter that was claimed in vain can be claimed again, and counts once', async () => {
    const store = openStore()
    const { id } = await approved(store)
    failing()
    await expect(store.claim(id, NOW, LIMIT)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await store.get(id)).toMatchObject({ state: { kind: 'approved', lastFailure: 'unavailable' } })
    expect(await store.claim(id, NOW, LIMIT)).toMatchObject({ kind: 'claimed' })
  })

  test('one that was dispatched in vain is approved, and another that is claimed already stays so', async () => {
    const store = openStore()
    const letter = newEntry()
    const taken = newEntry({ subject: 'another' })
    await approved(store, taken)
    await store.claim(taken.id, NOW, { most: 9, lengthMs: HOUR })
    failing()
    const endings = await Promise.allSettled([
      store.dispatch(letter, bytesOf(letter.id), approvalAt(), { most: 9, lengthMs: HOUR }, MANY_PENDING),
      store.claim(taken.id, NOW, LIMIT),
    ])
    expect(endings.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await store.get(letter.id)).toMatchObject({ state: { kind: 'approved' } })
    expect(await store.get(taken.id)).toMatchObject({ state: { kind: 'claimed' } })
  })
})

test('what is over for long keeps nobody from reading while nothing can be written', async () => {
  const path = newPath()
  const first = openStore(path)
  const { id } = await queued(first)
  await first.close()
  const writer = new Sqlite(path)
  writer.exec('begin immediate')
  const later = openStore(path, NOW + 100 * DAY)
  expect(await later.get(id)).toBeDefined()
  writer.exec('commit')
  writer.close()
})

describe('in a file that is taken away', () => {
  const ways: [string, (path: string) => void][] = [
    ['the file', (path) => rmSync(path)],
    ['all that belongs to it', (path) => ['', '-wal', '-shm'].map((ending) => rmSync(path + ending, { force: true }))],
    ['its directory', (path) => rmSync(dirname(path), { recursive: true })],
    ['its name', (path) => renameSync(path, `${path}.old`)],
  ]

  test.each(ways)('%s: what is queued next is found by others, and what is gone is not', async (_what, takeAway) => {
    const path = newPath()
    const store = openStore(path)
    const before = await queued(store)
    const claimed = await approved(store, newEntry({ subject: 'claimed' }))
    await store.claim(claimed.id, NOW, LIMIT)
    takeAway(path)
    expect(await store.find(before.digest, NOW)).toBeUndefined()
    const next = await approved(store, newEntry({ subject: 'next' }))
    await store.claim(next.id, NOW, LIMIT)
    const other = openStore(path)
    expect((await other.list({ most: 9 })).map(({ id }) => id)).toEqual([next.id])
    expect(await other.orphans()).toEqual([])
    await expect(store.record(claimed.id, { kind: 'lose', at: NOW })).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each(ways)('%s, while it is written: nothing is called done', async (_what, takeAway) => {
    const path = newPath()
    const store = openStore(path)
    await queued(store)
    disk.beforeFlush = () => {
      if (existsSync(path)) takeAway(path)
    }
    await expect(queued(store, newEntry({ subject: 'lost' }))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the outbox cannot be used: its file was removed or replaced meanwhile; try again',
    })
    disk.beforeFlush = () => undefined
    const { id } = await queued(store, newEntry({ subject: 'kept' }))
    expect((await openStore(path).list({ most: 9 })).map((entry) => entry.id)).toEqual([id])
  })

  test('its log alone: all that it held is there, and a claim is still ours', async () => {
    const path = newPath()
    const store = openStore(path)
    const claimed = await approved(store)
    await store.claim(claimed.id, NOW, LIMIT)
    rmSync(`${path}-wal`)
    await expect(queued(store)).rejects.toMatchObject({ code: 'unavailable' })
    const next = await queued(store, newEntry({ subject: 'next' }))
    const other = openStore(path)
    const found = (await other.list({ most: 9 })).map(({ id }) => id)
    expect(found).toEqual(expect.arrayContaining([claimed.id, next.id]))
    expect(await other.orphans()).toEqual([])
    expect(await store.record(claimed.id, { kind: 'give_back', reason: 'unavailable' })).toMatchObject({
      state: { kind: 'approved' },
    })
  })

  test('its log alone, while it is written: nothing is called done', async () => {
    const path = newPath()
    const store = openStore(path)
    const before = await queued(store)
    disk.beforeFlush = () => rmSync(`${path}-wal`, { force: true })
    await expect(queued(store, newEntry({ subject: 'lost' }))).rejects.toMatchObject({ code: 'unavailable' })
    disk.beforeFlush = () => undefined
    const next = await queued(store, newEntry({ subject: 'next' }))
    const found = (await openStore(path).list({ most: 9 })).map(({ id }) => id)
    expect(found).toEqual(expect.arrayContaining([before.id, next.id]))
  })

  test('one call finds that out while another one writes', async () => {
    const path = newPath()
    const store = openStore(path)
    await queued(store)
    let meanwhile: Promise<unknown> | undefined
    disk.beforeFlush = () => {
      disk.beforeFlush = () => undefined
      rmSync(path)
      meanwhile = store.list({ most: 9 })
    }
    await expect(queued(store, newEntry({ subject: 'lost' }))).rejects.toMatchObject({ code: 'unavailable' })
    expect(await meanwhile).toEqual([])
  })
})
