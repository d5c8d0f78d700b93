/**
 * Runs the steps of a piece of work and counts them.
 *
 * INVARIANT: a step that fails throws nothing away: it is counted, its reason kept, and the caller sees `ok: false`
 * and goes no further.
 */
import { Failure } from '../../core/failure.ts'
import type { Issue, Mechanism, Relocation } from '../../core/results.ts'

export type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }

export class Steps {
  #attempted = 0
  #succeeded = 0
  #changed = false
  readonly issues: Issue[] = []

  /** A step that changes a mailbox. */
  async change<T>(stage: string, work: () => Promise<T>): Promise<Step<T>> {
    const step = await this.run(stage, work)
    // A change of two parts that failed at the second one has changed something.
    this.#changed ||= step.ok || this.issues.at(-1)?.stage === 'unlabel'
    return step
  }

  async run<T>(stage: string, work: () => Promise<T>): Promise<Step<T>> {
    this.#attempted += 1
    try {
      const value = await work()
      this.#succeeded += 1
      return { ok: true, value }
    } catch (error) {
      this.issues.push(issueOf(error, stage))
      return { ok: false }
    }
  }

  report(mechanism?: Mechanism, created?: Relocation['created']): Relocation {
    const [attempted, succeeded, changed] = [this.#attempted, this.#succeeded, this.#changed]
    return { mechanism, attempted, succeeded, changed, created, issues: this.issues }
  }
}

/** How a failure reads beside results. A bug is not an issue: it goes on up. */
export function issueOf(error: unknown, stage: string): Issue {
  if (!(error instanceof Failure)) throw error
  const { code, message, retryable, responseCode } = error
  return { code, stage: error.stage ?? stage, message, retryable, ...(responseCode !== undefined && { responseCode }) }
}
