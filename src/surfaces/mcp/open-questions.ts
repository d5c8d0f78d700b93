/**
 * Questions that went out as the answer to a call, until that call is made again with what the person said.
 *
 * INVARIANT: an answer counts once, in time, for the caller who was asked and for the very words that were asked; whatever
 * this process did not ask was never asked.
 */
import { randomBytes } from 'node:crypto'
import type { Question } from '../../core/call/question.ts'

interface OpenQuestion extends Question {
  readonly caller: string
  readonly until: number
}

/** What callers leave unanswered must not fill the memory. */
const MOST_OPEN = 1000

export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>()

  /** What the client brings back with the answer. */
  open(caller: string, { title, text }: Question, withinMs: number): string {
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size >= MOST_OPEN) this.#open.delete(oldest)
    const state = randomBytes(16).toString('base64url')
    this.#open.set(state, { caller, title, text, until: performance.now() + withinMs })
    return state
  }

  /** Whether the answer that came with this counts for that question. It does so only once. */
  close(state: string, caller: string, { title, text }: Question): boolean {
    const open = this.#open.get(state)
    if (open?.caller !== caller) return false
    this.#open.delete(state)
    return open.title === title && open.text === text && performance.now() < open.until
  }
}
