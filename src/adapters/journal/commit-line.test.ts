import { setImmediate as endOfRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CommitLine } from './commit-line.ts'

function newLine() {
  const sizes: number[] = []
  let size = 0
  let gate: Promise<void> = Promise.resolve()
  const line = new CommitLine(async (work) => {
    await gate
    size = 0
    const value = work()
    sizes.push(size)
    return value
  })
  const add = <T>(value: T): Promise<T> =>
    line.add(() => {
      size += 1
      return value
    })
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return resolve
  }
  return { line, sizes, add, hold }
}

test('those that come at the same time share one transaction, and each has its own answer', async () => {
  const { sizes, add } = newLine()
  expect(await Promise.all([1, 2, 3, 4, 5].map(add))).toEqual([1, 2, 3, 4, 5])
  expect(sizes).toEqual([5])
})

test('a lone one has a transaction of its own at the end of the same round', async () => {
  const { sizes, add } = newLine()
  void add('x')
  await endOfRound()
  expect(sizes).toEqual([1])
})

test('those that come while one is under way go into the next together', async () => {
  const { line, sizes, add, hold } = newLine()
  const letGo = hold()
  const first = add('first')
  await endOfRound()
  const others = ['a', 'b', 'c'].map(add)
  await endOfRound()
  expect(sizes).toEqual([])
  letGo()
  expect(await Promise.all([first, ...others])).toEqual(['first', 'a', 'b', 'c'])
  expect(sizes).toEqual([1, 3])
  await line.idle()
})

test('what one of them did wrong fails it alone', async () => {
  const { line, add } = newLine()
  const bug = new Error('a bug')
  const wrong = line.add(() => {
    throw bug
  })
  const endings = await Promise.allSettled([add(1), wrong, add(2)])
  expect(endings).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: bug },
    { status: 'fulfilled', value: 2 },
  ])
})

test('a file that stays busy is busy for all of them, and asked once', async () => {
  let asked = 0
  const line = new CommitLine(async () => {
    asked += 1
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  })
  const endings = await Promise.allSettled([1, 2, 3].map((value) => line.add(() => value)))
  const told = { status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) }
  expect(endings).toEqual([told, told, told])
  expect(asked).toBe(1)
})
