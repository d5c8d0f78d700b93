/**
 * A few threads for many jobs, first come, first served.
 *
 * INVARIANT: at most `size` threads, started when there is work for them and kept for the next; a job that breaks its
 * thread fails alone, the others go on in another thread.
 */
import type { Log } from '../../ports/log.ts'
import { aborted, closed, overloaded } from './failures.ts'
import type { Job, Output } from './jobs.ts'
import { Thread, type ThreadLimits } from './thread.ts'

const MAX_QUEUE = 2000

interface Order {
  readonly job: Job
  readonly transfer: ArrayBuffer[]
  readonly signal: AbortSignal
  readonly abort: () => void
  resolve(output: Output): void
  reject(error: unknown): void
}

export class Pool {
  readonly #limits: ThreadLimits
  readonly #size: number
  readonly #log: Log
  readonly #idle: Thread[] = []
  readonly #busy = new Set<Thread>()
  readonly #queue = new Set<Order>()
  #closed = false

  constructor(size: number, limits: ThreadLimits, log: Log) {
    this.#size = size
    this.#limits = limits
    this.#log = log
  }

  run(job: Job, transfer: ArrayBuffer[], signal: AbortSignal): Promise<Output> {
    if (signal.aborted) return Promise.reject(aborted(signal))
    if (this.#closed) return Promise.reject(closed())
    if (this.#queue.size >= MAX_QUEUE) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        if (this.#queue.delete(order)) reject(aborted(signal))
      }
      const order: Order = { job, transfer, signal, abort, resolve, reject }
      signal.addEventListener('abort', abort, { once: true })
      this.#queue.add(order)
      this.#serve()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const order of this.#queue) order.reject(closed())
    this.#queue.clear()
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => thread.end()))
    this.#idle.length = 0
  }

  #serve(): void {
    while (this.#queue.size > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      const [order] = this.#queue
      if (order === undefined) return
      this.#queue.delete(order)
      order.signal.removeEventListener('abort', order.abort)
      this.#busy.add(thread)
      void this.#carryOut(order, thread)
    }
  }

  #freeThread(): Thread | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop()) {
      if (thread.usable) return thread
    }
    return this.#busy.size < this.#size ? new Thread(this.#limits) : undefined
  }

  async #carryOut(order: Order, thread: Thread): Promise<void> {
    const began = performance.now()
    try {
      order.resolve(await thread.run(order.job, order.transfer, order.signal))
    } catch (error) {
      const ms = Math.round(performance.now() - began)
      // Much mail cannot be read; what breaks a thread is worth a look.
      const level = order.signal.aborted || this.#closed ? 'debug' : thread.usable ? 'info' : 'warn'
      this.#log[level]({ error, kind: order.job.kind, ms, thread_ended: !thread.usable }, 'content could not be read')
      order.reject(error)
    }
    // Until it has gone, a thread still holds all that it took: the next one would come on top of it.
    if (thread.bloated || !thread.usable) await thread.end()
    this.#busy.delete(thread)
    if (thread.usable && !this.#closed) this.#idle.push(thread)
    this.#serve()
  }
}
