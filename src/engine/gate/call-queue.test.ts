import { expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import { CallQueue } from './call-queue.ts'

const never = new AbortController().signal
const LIMITS = { perAccount: 2, perCaller: 3, reserved: 1 }

/** A call that runs until it is let go. */
function call(queue: CallQueue, account: string, { caller = 'ann', signal = never } = {}) {
  const end = Promise.withResolvers<void>()
  const state = { running: false, end: () => end.resolve(), over: Promise.resolve() }
  state.over = queue.run(caller, account === '' ? [] : account.split(' '), signal, async () => {
    state.running = true
    await end.promise
  })
  return state
}

async function running(calls: readonly { readonly running: boolean }[]): Promise<readonly boolean[]> {
  await new Promise((resolve) => setImmediate(resolve))
  return calls.map((one) => one.running)
}

test('calls to one account wait for each other, in their order', async () => {
  const queue = new CallQueue(LIMITS)
  const calls = ['a', 'a', 'a', 'a'].map((account) => call(queue, account))
  expect(await running(calls)).toEqual([true, true, false, false])
  calls[1]?.end()
  expect(await running(calls)).toEqual([true, true, true, false])
})

test('calls that hang on one account, or between two, keep nobody from another', async () => {
  const queue = new CallQueue(LIMITS)
  const hanging = ['a', 'a', 'a', 'a b', 'b a', 'a b'].map((account) => call(queue, account))
  expect(await running(hanging)).toEqual([true, true, false, true, false, false])
  // Three run, which is all that the caller may; the first to another account runs all the same.
  const others = [call(queue, 'b'), call(queue, 'b'), call(queue, 'c'), call(queue, '')]
  expect(await running(others)).toEqual([true, false, true, true])
  const stranger = call(queue, 'a', { caller: 'bob' })
  expect(await running([stranger])).toEqual([true])
})

test('a call that no longer wants its turn leaves the queue, and is told why', async () => {
  const queue = new CallQueue(LIMITS)
  const [first, second] = [call(queue, 'a'), call(queue, 'a')]
  const stop = new AbortController()
  const third = call(queue, 'a', { signal: stop.signal })
  const fourth = call(queue, 'a')
  stop.abort(new Failure('timeout', 'too late'))
  await expect(third.over).rejects.toThrow('too late')
  first.end()
  expect(await running([second, third, fourth])).toEqual([true, false, true])
})

test('so many calls wait for one account, and no more', async () => {
  const queue = new CallQueue(LIMITS)
  const calls = Array.from({ length: 1002 }, () => call(queue, 'a'))
  await expect(call(queue, 'a').over).rejects.toThrow(/1000 calls to this account are waiting already/)
  const other = call(queue, 'b')
  expect(await running([other])).toEqual([true])
  for (const one of calls) one.end()
  await Promise.all(calls.map(({ over }) => over))
})

test('by default, 16 calls of one caller to one account run at once, and 64 to all', async () => {
  const queue = new CallQueue()
  const calls = Array.from({ length: 20 }, () => call(queue, 'a'))
  expect((await running(calls)).filter(Boolean)).toHaveLength(16)
  const others = ['b', 'c', 'd'].flatMap((account) => Array.from({ length: 16 }, () => call(queue, account)))
  expect((await running(others)).filter(Boolean)).toHaveLength(48)
  // The caller has reached its total; two calls to each further account run all the same.
  expect(await running(Array.from({ length: 3 }, () => call(queue, 'e')))).toEqual([true, true, false])
})
