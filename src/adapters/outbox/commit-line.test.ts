import { expect, test } from 'vitest'
import { CommitLine, type Transactions } from './commit-line.ts'

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
