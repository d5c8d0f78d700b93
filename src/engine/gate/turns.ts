/**
 * Shares the server among callers: each has so many calls under way at once, and the rest of them wait their turn.
 *
 * INVARIANT: first come, first served within a caller; no caller ever waits for another one's queue.
 */
import { Failure } from '../../core/failure.ts'

const AT_ONCE = 16
const MOST_WAITING = 1000

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

export class Turns {
  readonly #queues = new Map<string, Queue>()
  readonly #atOnce: number

  constructor(atOnce: number = AT_ONCE) {
    this.#atOnce = atOnce
  }

  async take<T>(callerId: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(callerId) ?? { running: 0, waiting: [] }
    this.#queues.set(callerId, queue)
    if (queue.running >= this.#atOnce) await wait(queue)
    else queue.running += 1
    try {
      return await work()
    } finally {
      // Whoever is next takes this place over.
      const next = queue.waiting.shift()
      if (next !== undefined) next()
      else queue.running -= 1
      if (queue.running === 0) this.#queues.delete(callerId)
    }
  }
}

function wait(queue: Queue): Promise<void> {
  if (queue.waiting.length >= MOST_WAITING) {
    throw new Failure('unavailable', `${MOST_WAITING} calls of this caller are waiting already; try again later`)
  }
  return new Promise((resolve) => queue.waiting.push(resolve))
}
