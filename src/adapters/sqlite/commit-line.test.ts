import { setImmediate as endOfRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CommitLine, type Transactions } from './commit-line.ts'

function newLine() {
  const sizes: number[] = []
  let size = 0
  let gate: Promise<void> = Promise.resolve()
  const line = new CommitLine({
    whole: async (work) => {
      await gate
      size = 0
      const value = work()
      sizes.push(size)
      return value
    },
    part: (work) => work(),
    flush: async () => undefined,
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
  const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  const line = new CommitLine({
    whole: async () => {
      asked += 1
      throw busy
    },
    part: (work) => work(),
    flush: async () => undefined,
  })
  const endings = await Promise.allSettled([1, 2, 3].map((value) => line.add(() => value)))
  const told = { status: 'rejected', reason: busy }
  expect(endings).toEqual([told, told, told])
  expect(asked).toBe(1)
})

/** Transactions on a list; what is flushed is decided by the test. */
function onList(flush: () => Promise<void>): { readonly done: string[]; readonly line: CommitLine } {
  const done: string[] = []
  const transactions: Transactions = { whole: async (work) => work(), part: (work) => work(), flush }
  return { done, line: new CommitLine(transactions) }
}

function step(done: string[], what: string): () => string {
  return () => {
    done.push(what)
    return what
  }
}

test('nobody hears of a commit before it is on disk', async () => {
  const flushed = Promise.withResolvers<void>()
  const { done, line } = onList(() => flushed.promise)
  const heard: string[] = []
  const both = ['a', 'b'].map((what) => line.add(step(done, what)).then((value) => heard.push(value)))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect({ done, heard }).toEqual({ done: ['a', 'b'], heard: [] })
  flushed.resolve()
  await Promise.all(both)
  expect(heard).toEqual(['a', 'b'])
})

test('what could not be flushed has failed for all of them, is not done again, and holds up nobody', async () => {
  let failing = true
  const { done, line } = onList(async () => {
    if (failing) throw new Error('the disk is gone')
  })
  const both = await Promise.allSettled(['a', 'b'].map((what) => line.add(step(done, what))))
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  failing = false
  expect(await line.add(step(done, 'c'))).toBe('c')
  expect(done).toEqual(['a', 'b', 'c'])
})
