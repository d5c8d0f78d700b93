/**
 * The calls under way, so that a server that stops can wait for them or end them.
 *
 * INVARIANT: a call's signal aborts with a `Failure('cancelled')`, whether its caller went away or we are stopping.
 */
import { Failure } from '../../core/failure.ts'
import { OpenQuestions } from './open-questions.ts'

export class CallsUnderWay {
  /** Asked in calls that are made again with the answer. */
  readonly questions = new OpenQuestions()
  readonly #running = new Map<AbortController, Promise<unknown>>()

  async run<T>(callerGone: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const cancel = (): void => controller.abort(new Failure('cancelled', 'the caller cancelled this call'))
    if (callerGone.aborted) cancel()
    else callerGone.addEventListener('abort', cancel, { once: true })
    const call = work(controller.signal)
    this.#running.set(controller, call)
    try {
      return await call
    } finally {
      callerGone.removeEventListener('abort', cancel)
      this.#running.delete(controller)
    }
  }

  cancelAll(): void {
    const reason = new Failure('cancelled', 'Postern is stopping')
    for (const controller of this.#running.keys()) controller.abort(reason)
  }

  /** True once no call is running, false if that takes longer. */
  async idle(withinMs: number): Promise<boolean> {
    const ended = Promise.allSettled(this.#running.values()).then(() => true)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), withinMs)
    })
    try {
      return await Promise.race([ended, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
