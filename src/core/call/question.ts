/**
 * A question to the person behind a caller, put through the caller's own program.
 *
 * INVARIANT: only a plain yes, given in time to this very question, is `accepted`. Asking never fails: where nobody answers, or
 * the answer makes no sense, it is `no_answer`.
 */
export interface Question {
  /** What it is about, in a few words. */
  readonly title: string
  /** What the person is to read. The same letter must give the same text: an answer counts only for what was asked. */
  readonly text: string
  /** Only to be read: whatever is answered to it is no answer. */
  readonly isNotice?: boolean
}

export type Reply = 'accepted' | 'declined' | 'no_answer'

/** `signal` ends the asking before its time. */
export type Ask = (question: Question, signal?: AbortSignal) => Promise<Reply>
