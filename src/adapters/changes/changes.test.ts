import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChangeKind } from '../../ports/changes.ts'
import { createChanges } from './changes.ts'

const LOOK_MS = 5
let directory: string
let stamp: string
let looks: number

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pg-'))
  stamp = ''
  looks = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

function changes() {
  const outbox = (): readonly string[] => {
    looks += 1
    return [join(directory, 'outbox.db')]
  }
  return createChanges(
    [
      { kind: 'outbox', files: outbox },
      { kind: 'accounts', files: () => [], stamp: () => stamp },
    ],
    LOOK_MS,
  )
}

/** From when on changes are told. */
async function watched(all: ReturnType<typeof changes>, told: ChangeKind[]): Promise<() => void> {
  const begun = Promise.withResolvers<void>()
  const stop = all.watch((kind) => told.push(kind), begun.resolve)
  await begun.promise
  return stop
}

/** All at once: made and then filled, it may be seen in between and told of twice. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
}

test('tells of a file that is written to, made or removed, and of nothing else', async () => {
  const told: ChangeKind[] = []
  const path = join(directory, 'outbox.db')
  const stop = await watched(changes(), told)
  expect(told).toEqual([])
  put(path, 'a')
  await expect.poll(() => told.length).toBe(1)
  appendFileSync(path, 'b')
  await expect.poll(() => told.length).toBe(2)
  rmSync(path)
  await expect.poll(() => told.length).toBe(3)
  expect(new Set(told)).toEqual(new Set(['outbox']))
  stop()
})

test('tells of what changes in this process', async () => {
  const told: ChangeKind[] = []
  const stop = await watched(changes(), told)
  stamp = 'connected'
  await expect.poll(() => told.length).toBe(1)
  expect(told).toEqual(['accounts'])
  stop()
})

test('looks while somebody watches, for all of them at once, and no longer', async () => {
  const all = changes()
  const [one, other]: [ChangeKind[], ChangeKind[]] = [[], []]
  const stops = [await watched(all, one), await watched(all, other)]
  put(join(directory, 'outbox.db'), 'a')
  await expect.poll(() => [one.length, other.length]).toEqual([1, 1])
  for (const stop of [...stops, ...stops]) stop()
  await pause(LOOK_MS * 4)
  const before = looks
  await pause(LOOK_MS * 10)
  expect(looks).toBe(before)
  // What happens meanwhile is nobody's; the next one begins anew.
  writeFileSync(join(directory, 'outbox.db'), 'abc')
  const later: ChangeKind[] = []
  const stop = await watched(all, later)
  expect([one.length, later.length]).toEqual([1, 0])
  stop()
})
