import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { createReadNotes } from '../../src/adapters/outbox/read-notes.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { HOUR, NOW, newEntry } from './letters.ts'
import { approved, newPath, openStore, queued, startNode } from './scene.ts'

const LIMIT = { most: 10, lengthMs: HOUR }

async function letters(path: string, count: number): Promise<readonly string[]> {
  const store = openStore(path)
  return (await Promise.all(Array.from({ length: count }, () => approved(store)))).map(({ id }) => id)
}

const locksOf = (path: string): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => name.includes('.owner-'))

async function claimAtOnce(path: string, shares: readonly (readonly string[])[], from = NOW, step = 0) {
  const claimers = shares.map((ids) => startNode('claimer.ts', path, '10', String(from), String(step), ...ids))
  for (const { saying } of claimers) await saying(1)
  for (const { child } of claimers) child.stdin.write('go\n')
  for (const { said } of claimers) await expect.poll(() => said.at(-1)).toBe('done')
  const got = claimers.flatMap(({ said }) => said).filter((line) => line.endsWith(' claimed'))
  return { claimers, got: got.map((line) => line.split(' ')[0] ?? '') }
}

test('four processes that claim at once get ten together, and none more before the window is over', async () => {
  const path = newPath()
  const ids = await letters(path, 48)
  const shares = [0, 1, 2, 3].map((share) => ids.slice(share * 12, share * 12 + 12))
  const { got, claimers } = await claimAtOnce(path, shares, NOW, 1)
  expect(got).toHaveLength(10)
  expect(new Set(got).size).toBe(10)
  const store = openStore(path)
  const claimedAt = (await store.list({ kinds: ['claimed'], most: 100 })).map(({ state }) => 'at' in state && state.at)
  const [next = ''] = ids.filter((id) => !got.includes(id))
  const first = Math.min(...claimedAt.map(Number))
  expect(await store.claim(next, first + HOUR - 1, LIMIT)).toEqual({ kind: 'limited', waitMs: 1 })
  // A restart forgets none of them.
  for (const { child } of claimers) child.kill('SIGKILL')
  await store.close()
  const again = openStore(path)
  expect(await again.claim(next, first + HOUR - 1, LIMIT)).toEqual({ kind: 'limited', waitMs: 1 })
  expect(await again.claim(next, first + HOUR, LIMIT)).toMatchObject({ kind: 'claimed' })
})

test('of many that claim one letter, in one process and in four, one has it', async () => {
  const path = newPath()
  const [id = ''] = await letters(path, 1)
  const shares = Array.from({ length: 4 }, () => Array.from({ length: 25 }, () => id))
  const { got } = await claimAtOnce(path, shares)
  expect(got).toEqual([id])
})

test('what a killed process had claimed is an orphan at once, what a living one has is not', async () => {
  const path = newPath()
  const [one = '', two = ''] = await letters(path, 2)
  const { claimers } = await claimAtOnce(path, [[one], [two]])
  const [victim, survivor] = claimers
  const store = openStore(path)
  expect(await store.orphans()).toEqual([])
  expect(locksOf(path)).toHaveLength(2)
  const lose = { kind: 'lose', at: NOW } as const
  await expect(store.record(one, lose)).rejects.toMatchObject({ code: 'conflict', message: /another process/ })
  victim?.child.kill('SIGKILL')
  await expect.poll(() => victim?.child.signalCode).toBe('SIGKILL')
  expect((await store.orphans()).map(({ id }) => id)).toEqual([one])
  expect(locksOf(path)).toHaveLength(1)
  await expect(store.record(two, { kind: 'give_back', reason: 'x' })).rejects.toMatchObject({ code: 'conflict' })
  expect((await store.record(one, lose)).state.kind).toBe('needs_operator')
  expect(await store.orphans()).toEqual([])
  // One that ends by itself, its letter still claimed.
  survivor?.child.stdin.end()
  await expect.poll(() => survivor?.child.exitCode).toBe(0)
  expect((await store.orphans()).map(({ id }) => id)).toEqual([two])
})

test('a store that is closed leaves what it claimed to others, and no lock', async () => {
  const path = newPath()
  const [first, second] = [openStore(path), openStore(path)]
  const { id } = await approved(first)
  await first.claim(id, NOW, LIMIT)
  expect(await first.orphans()).toEqual([])
  expect(await second.orphans()).toEqual([])
  await first.close()
  expect((await second.orphans()).map((entry) => entry.id)).toEqual([id])
  expect(locksOf(path)).toEqual([])
})

test('locks of the dead are tidied away when the outbox is opened', async () => {
  const path = newPath()
  const [id = ''] = await letters(path, 1)
  const { claimers } = await claimAtOnce(path, [[id]])
  for (const { child } of claimers) child.kill('SIGKILL')
  for (const { child } of claimers) await expect.poll(() => child.signalCode).toBe('SIGKILL')
  expect(locksOf(path)).toHaveLength(1)
  const store = openStore(path)
  await store.get(id)
  expect(locksOf(path)).toEqual([])
  expect(await store.orphans()).toHaveLength(1)
})

test('processes that queue the same letter at once queue one', async () => {
  const path = newPath()
  const stores = Array.from({ length: 4 }, () => openStore(path))
  const letter = newEntry()
  const same = stores.flatMap((store) =>
    Array.from({ length: 10 }, () => queued(store, { ...letter, id: crypto.randomUUID() })),
  )
  expect(new Set((await Promise.all(same)).map(({ id }) => id)).size).toBe(1)
  expect(await stores[0]?.list({ most: 100 })).toHaveLength(1)
})

test('what was noted as read outlives a process that is killed, and all see it', async () => {
  const path = newPath('reads.db')
  const readers = [0, 1].map(() => startNode('reader.ts', path, String(NOW), '100000'))
  for (const { saying } of readers) await saying(50)
  for (const { child } of readers) child.kill('SIGKILL')
  for (const { child } of readers) await expect.poll(() => child.signalCode).toBe('SIGKILL')
  const notes = createReadNotes({ path, databases: databaseFiles })
  const known = new Set((await notes.since('local', NOW)).flatMap((read) => read.readers))
  await notes.close()
  for (const { said } of readers) for (const reader of said) expect(known.has(reader)).toBe(true)
})
