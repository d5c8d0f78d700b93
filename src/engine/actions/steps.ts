/**
 * Runs the steps of a write one after the other and counts them.
 *
 * INVARIANT: a step that fails throws nothing away: it is counted, its reason kept, and the caller sees `ok: false`
 * and goes no further.
 */
import { Failure } from '../../core/failure.ts'
import type { Issue, Relocation } from '../../core/results.ts'

export type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }

export class Steps {
  #attempted = 0
  #succeeded = 0
  readonly issues: Issue[] = []

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

  report(created?: Relocation['created']): Relocation {
    return { attempted: this.#attempted, succeeded: this.#succeeded, created, issues: this.issues }
  }
}

/** How a failure reads beside results. A bug is not an issue: it goes on up. */
export function issueOf(error: unknown, stage: string): Issue {
  if (!(error instanceof Failure)) throw error
  const { code, message, retryable } = error
  return { code, stage: error.stage ?? stage, message, retryable }
}
