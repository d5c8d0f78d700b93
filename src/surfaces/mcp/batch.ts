/**
 * JSON-RPC batches, which the 2024-11-05 and 2025-03-26 revisions allow: the answers go back together.
 *
 * INVARIANT: a batch is written once, when every request in it is answered or was cancelled; nothing at all when it
 * held no request.
 */
import type { RequestId } from './json-rpc.ts'

export class Batch {
  readonly #waiting: Set<RequestId>
  readonly #answers: unknown[] = []
  readonly #write: (answers: readonly unknown[]) => void

  constructor(ids: Iterable<RequestId>, write: (answers: readonly unknown[]) => void) {
    this.#waiting = new Set(ids)
    this.#write = write
  }

  answer(id: RequestId, answer: unknown): void {
    this.#answers.push(answer)
    this.drop(id)
  }

  /** That request will not be answered any more. */
  drop(id: RequestId): void {
    if (!this.#waiting.delete(id) || this.#waiting.size > 0) return
    if (this.#answers.length > 0) this.#write(this.#answers)
  }
}
