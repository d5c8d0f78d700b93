/** The uids of an account: one file, several processes. */
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createUidStore, type UidStore } from '../../src/adapters/gmail/uids/store.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { never } from '../mail-source/bench.ts'

let directory: string
let file: string
let uids: UidStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postern-uids-'))
  file = join(directory, 'gmail', 'me.db')
  uids = createUidStore({ path: file, databases: databaseFiles })
})
afterEach(async () => {
  uids.close()
  await rm(directory, { recursive: true })
})

const given = async (label: string, ids: readonly string[]) => [...(await uids.assign(label, ids, never()))]

test('the file is its owner’s alone, however it was before', async () => {
  await uids.state('INBOX', never())
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(join(directory, 'gmail'))).mode & 0o777).toBe(0o700)
  uids.close()
  await chmod(file, 0o644)
  uids = createUidStore({ path: file, databases: databaseFiles })
  await uids.state('INBOX', never())
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a file that is none of ours is unreadable', async () => {
  const other = join(directory, 'other.db')
  await writeFile(other, 'no database '.repeat(1000))
  const broken = createUidStore({ path: other, databases: databaseFiles })
  await expect(broken.state('INBOX', never())).rejects.toMatchObject({ name: 'Failure', code: 'unreadable' })
})

describe('uids', () => {
  test('are given oldest first, once, per label', async () => {
    expect(await given('INBOX', ['c', 'b', 'a'])).toEqual(
      expect.arrayContaining([
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ]),
    )
    expect(await given('INBOX', ['d', 'c'])).toEqual(
      expect.arrayContaining([
        ['c', 3],
        ['d', 4],
      ]),
    )
    expect(await given('work', ['c'])).toEqual([['c', 1]])
    const [inbox, work] = [await uids.state('INBOX', never()), await uids.state('work', never())]
    expect([inbox.uidNext, work.uidNext]).toEqual([5, 2])
    expect(inbox.uidvalidity).not.toBe(work.uidvalidity)
  })

  test('are never given again, whatever comes and goes', async () => {
    const step = fc.record({
      ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 0, maxLength: 6 }),
      whole: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.uuid(), async (steps, label) => {
        const owner = new Map<number, string>()
        for (const { ids, whole } of steps) {
          const { uidNext } = await uids.state(label, never())
          const found = whole ? await uids.settle(label, ids, uidNext, never()) : await uids.assign(label, ids, never())
          expect([...found.keys()].sort()).toEqual([...ids].sort())
          for (const [id, uid] of found) expect(owner.get(uid) ?? id).toBe(id)
          for (const [id, uid] of found) owner.set(uid, id)
          expect((await uids.state(label, never())).uidNext).toBe(Math.max(0, ...owner.keys()) + 1)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('of what came while a label was looked at stay', async () => {
    await given('INBOX', ['b', 'a'])
    const { uidNext } = await uids.state('INBOX', never())
    await given('INBOX', ['new'])
    await uids.settle('INBOX', ['b'], uidNext, never())
    const known = await uids.lookUp('INBOX', [1, 2, 3], never())
    expect([...known.values()].map(({ uid, id }) => [uid, id])).toEqual([
      [2, 'b'],
      [3, 'new'],
    ])
  })

  test('are the same in every process, and no two messages share one', async () => {
    const script = join(import.meta.dirname, 'assigner.ts')
    const ids = Array.from({ length: 60 }, (_, index) => `m${index}`)
    const children = [ids, ids.toReversed(), ids].map((order) => {
      const stdio = ['ignore', 'pipe', 'inherit'] as const
      const child = spawn(process.execPath, [script, file, 'INBOX', ...order], { stdio: [...stdio] })
      onTestFinished(() => void child.kill('SIGKILL'))
      if (child.stdout === null) throw new Error('the child has no voice')
      return text(child.stdout)
    })
    const said = (await Promise.all(children)).map((lines) => new Map(linesOf(lines)))
    const [first = new Map()] = said
    expect(new Set(first.values()).size).toBe(60)
    for (const other of said) expect(other).toEqual(first)
    expect((await uids.state('INBOX', never())).uidNext).toBe(61)
  })
})

test('marks and facts are kept, and facts know no labels', async () => {
  await given('INBOX', ['b', 'a'])
  await uids.mark('INBOX', [1], true, never())
  await uids.learn([{ id: 'a', thread: 't', received: 5, size: 7 }], never())
  uids.close()
  uids = createUidStore({ path: file, databases: databaseFiles })
  expect([...(await uids.lookUp('INBOX', [1, 2], never())).values()].map(({ deleted }) => deleted)).toEqual([
    true,
    false,
  ])
  expect(await uids.facts(['a', 'b'], never())).toEqual(
    new Map([['a', { id: 'a', thread: 't', received: 5, size: 7 }]]),
  )
  expect(await uids.places('a', never())).toMatchObject([{ label: 'INBOX', uid: 1 }])
})

test('what is forgotten is gone for everybody, and no uidvalidity comes back', async () => {
  const other = createUidStore({ path: file, databases: databaseFiles })
  onTestFinished(() => other.close())
  const seen = new Set<number>()
  for (let round = 0; round < 3; round++) {
    for (const label of ['INBOX', 'work', 'SENT']) {
      await given(label, ['message-one', 'message-two'])
      const { uidvalidity } = await uids.state(label, never())
      expect(seen).not.toContain(uidvalidity)
      seen.add(uidvalidity)
    }
    await other.forget(never())
    expect(await uids.places('message-one', never())).toEqual([])
  }
  expect((await readFile(file)).includes('message-one')).toBe(false)
})

test('an aborted call is cancelled, a closed store is unavailable', async () => {
  await expect(uids.state('INBOX', AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
  uids.close()
  await expect(uids.state('INBOX', never())).rejects.toMatchObject({ code: 'unavailable' })
})

/** Each id with its uid and the label's uidvalidity. */
function linesOf(lines: string): [string, string][] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, number, number])
    .map(([id, uid, uidvalidity]) => [id, `${uidvalidity}:${uid}`])
}
