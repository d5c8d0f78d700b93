import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onStopSignal } from './stop-signals.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
])('%s that is passed on as %s is one wish; who asks later ends it at once', (first, second) => {
  const process = new EventEmitter()
  const stop = vi.fn()
  onStopSignal(process, stop)
  process.emit(first)
  vi.advanceTimersByTime(100)
  expect(process.emit(second)).toBe(true)
  expect(stop).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1000)
  expect([process.emit('SIGINT'), process.emit('SIGTERM')]).toEqual([false, false])
})
