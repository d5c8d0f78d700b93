/**
 * One worker thread, and at most one job at a time in it.
 *
 * INVARIANT: a thread whose job went over its time or memory, was aborted, or broke it, is ended and never used again;
 * `run` settles whatever happens. An idle thread does not keep the process alive.
 */
import { Worker } from 'node:worker_threads'
import { aborted, broken, closed, tooBig, tooSlow } from './failures.ts'
import { type Answer, type Job, type Output, subjectOf } from './jobs.ts'
import { CONTENT_WORKER } from './worker-url.ts'

export interface ThreadLimits {
  /** JavaScript heap. */
  readonly heapMb: number
  /** All it holds, buffers outside of the heap among it. */
  readonly memoryMb: number
  /** Time for one job: of the processor where we can know, so that a busy machine fails nobody's mail. */
  readonly jobMs: number
}

const START_MS = 30_000
/** By the clock, a job may take this many times what it may take of the processor. */
const PATIENCE = 4
const CHECK_MS = 20
const MAX_GROWTH_MB = 16
const MB = 1024 * 1024

interface Waiting {
  settle(answer: Answer | Error): void
}

export class Thread {
  readonly #worker: Worker
  readonly #limits: ThreadLimits
  readonly #ready: Promise<void>
  #waiting: Waiting | undefined
  /** What it reads, for errors. */
  #what = 'message'
  #ended = false
  #memoryAtStart = 0
  #memoryAfter = 0

  constructor(limits: ThreadLimits) {
    this.#limits = limits
    this.#worker = new Worker(CONTENT_WORKER, {
      name: 'postern content',
      env: {},
      execArgv: [],
      // What libraries print must not reach stdout, which is the protocol. Nobody reads it: that would keep us alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    })
    this.#worker.on('message', (answer: Answer) => this.#waiting?.settle(answer))
    this.#worker.on('error', (error) => this.#fail(outOfMemory(error) ? tooBig(this.#what) : broken(this.#what, error)))
    this.#worker.on('exit', () => this.#fail(broken(this.#what, new Error('the worker ended'))))
    this.#worker.unref()
    this.#ready = this.#answer(START_MS).then(({ memory }) => {
      this.#memoryAtStart = memory
      this.#memoryAfter = memory
    })
    // Whoever runs a job hears of it; a thread that was started ahead has nobody who would.
    this.#ready.catch(() => {})
  }

  get usable(): boolean {
    return !this.#ended
  }

  /** Memory that a worker has taken it keeps: one that has grown large is better replaced than kept. */
  get bloated(): boolean {
    return this.#memoryAfter > this.#memoryAtStart + MAX_GROWTH_MB * MB
  }

  async run(job: Job, transfer: ArrayBuffer[], signal: AbortSignal): Promise<Output> {
    this.#what = subjectOf(job)
    const abort = (): void => this.#fail(aborted(signal))
    signal.addEventListener('abort', abort)
    this.#worker.ref()
    try {
      await this.#ready
      if (signal.aborted) throw aborted(signal)
      const answer = this.#answer(this.#limits.jobMs * PATIENCE)
      this.#worker.postMessage(job, transfer)
      return this.#outputOf(await this.#watched(answer))
    } finally {
      signal.removeEventListener('abort', abort)
      this.#worker.unref()
    }
  }

  async end(): Promise<void> {
    this.#fail(closed())
    await this.#worker.terminate()
  }

  /** The next thing the worker says, or why it says nothing. */
  #answer(milliseconds: number): Promise<Answer> {
    if (this.#ended) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const impatience = setTimeout(() => this.#fail(tooSlow(this.#what, milliseconds)), milliseconds)
      const settle = (answer: Answer | Error): void => {
        clearTimeout(impatience)
        this.#waiting = undefined
        if (answer instanceof Error) reject(answer)
        else resolve(answer)
      }
      this.#waiting = { settle }
    })
  }

  /** Ends the job when it has had its share. Buffers lie outside of the heap that the engine limits: they count here. */
  async #watched(answer: Promise<Answer>): Promise<Answer> {
    const { memoryMb, jobMs } = this.#limits
    const began = performance.now()
    const before = this.#processorMs().catch(() => Number.NaN)
    const check = async (): Promise<void> => {
      if ((await this.#memory()) > memoryMb * MB) this.#fail(tooBig(this.#what))
      if (performance.now() - began < jobMs) return
      const used = (await this.#processorMs()) - (await before)
      if (!(used < jobMs)) this.#fail(tooSlow(this.#what, jobMs))
    }
    // A check fails when the worker has ended meanwhile, which is told elsewhere.
    const checks = setInterval(() => void check().catch(() => {}), CHECK_MS)
    try {
      return await answer
    } finally {
      clearInterval(checks)
    }
  }

  /** NaN where Node (before 24.6) cannot tell. */
  async #processorMs(): Promise<number> {
    if (typeof this.#worker.cpuUsage !== 'function') return Number.NaN
    const { user, system } = await this.#worker.cpuUsage()
    return (user + system) / 1000
  }

  async #memory(): Promise<number> {
    // Node before 22.16 cannot ask a worker.
    if (typeof this.#worker.getHeapStatistics !== 'function') return 0
    const { total_heap_size, external_memory } = await this.#worker.getHeapStatistics()
    return total_heap_size + external_memory
  }

  #outputOf(answer: Answer): Output {
    this.#memoryAfter = answer.memory
    if (answer.kind === 'done') return answer.output
    const reason = answer.kind === 'failed' ? answer.reason : 'the worker answered out of turn'
    throw broken(this.#what, new Error(reason))
  }

  #fail(failure: Error): void {
    if (!this.#ended) {
      this.#ended = true
      void this.#worker.terminate()
    }
    this.#waiting?.settle(failure)
  }
}

function outOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
