/**
 * One worker thread, and at most one job at a time in it.
 *
 * INVARIANT: a thread whose job went over its time or memory, was aborted, or broke it, is ended and never used again;
 * `run` settles whatever happens. An idle thread does not keep the process alive.
 */
import { Worker } from 'node:worker_threads'
import type { Readable, SafeHtml } from '../../core/content.ts'
import { aborted, broken, closed, tooBig, tooSlow } from './failures.ts'
import type { Answer, Job } from './jobs.ts'
import { CONTENT_WORKER } from './worker-url.ts'

export interface ThreadLimits {
  /** What it reads, for messages: `message text`, `PDF`. */
  readonly what: string
  /** JavaScript heap. */
  readonly heapMb: number
  /** All it holds, buffers outside of the heap among it. */
  readonly memoryMb: number
  readonly jobMs: number
}

const START_MS = 10_000
const MEMORY_CHECK_MS = 25
const MB = 1024 * 1024

interface Waiting {
  settle(answer: Answer | Error): void
}

export class Thread {
  readonly #worker: Worker
  readonly #limits: ThreadLimits
  readonly #ready: Promise<void>
  #waiting: Waiting | undefined
  #ended = false

  constructor(limits: ThreadLimits) {
    this.#limits = limits
    this.#worker = new Worker(CONTENT_WORKER, {
      name: `postern ${limits.what}`,
      env: {},
      execArgv: [],
      // What libraries print must not reach stdout, which is the protocol.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (answer: Answer) => this.#waiting?.settle(answer))
    this.#worker.on('error', (error) =>
      this.#fail(outOfMemory(error) ? tooBig(limits.what) : broken(limits.what, error)),
    )
    this.#worker.on('exit', () => this.#fail(broken(limits.what, new Error('the worker ended'))))
    this.#worker.unref()
    this.#ready = this.#answer(START_MS).then(() => undefined)
    // Whoever runs a job hears of it; a thread that was started ahead has nobody who would.
    this.#ready.catch(() => {})
  }

  get usable(): boolean {
    return !this.#ended
  }

  async run(job: Job, transfer: ArrayBuffer[], signal: AbortSignal): Promise<Readable | SafeHtml> {
    const abort = (): void => this.#fail(aborted(signal))
    signal.addEventListener('abort', abort)
    this.#worker.ref()
    try {
      await this.#ready
      if (signal.aborted) throw aborted(signal)
      const answer = this.#answer(this.#limits.jobMs)
      this.#worker.postMessage(job, transfer)
      return outputOf(await this.#watched(answer), this.#limits.what)
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
      const impatience = setTimeout(() => this.#fail(tooSlow(this.#limits.what, milliseconds)), milliseconds)
      const settle = (answer: Answer | Error): void => {
        clearTimeout(impatience)
        this.#waiting = undefined
        if (answer instanceof Error) reject(answer)
        else resolve(answer)
      }
      this.#waiting = { settle }
    })
  }

  /** Buffers lie outside of the heap that the engine limits, and a file may unpack to any size. */
  async #watched(answer: Promise<Answer>): Promise<Answer> {
    const check = setInterval(() => {
      this.#memory().then(
        (bytes) => {
          if (bytes > this.#limits.memoryMb * MB) this.#fail(tooBig(this.#limits.what))
        },
        () => {}, // the worker ended meanwhile, which is told elsewhere
      )
    }, MEMORY_CHECK_MS)
    try {
      return await answer
    } finally {
      clearInterval(check)
    }
  }

  async #memory(): Promise<number> {
    // Node before 22.16 cannot ask a worker.
    if (typeof this.#worker.getHeapStatistics !== 'function') return 0
    const { used_heap_size, external_memory } = await this.#worker.getHeapStatistics()
    return used_heap_size + external_memory
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

function outputOf(answer: Answer, what: string): Readable | SafeHtml {
  if (answer.kind === 'done') return answer.output
  throw broken(what, new Error(answer.kind === 'failed' ? answer.reason : 'the worker answered out of turn'))
}
