/**
 * How often each caller has called lately.
 *
 * Promises: `take` is one step, whatever other calls and processes do: of many at once never more than a window's `most` are
 * let through. A call that is not let through does not count. What was counted is known to every process of this data
 * directory and outlives them. Throws `Failure('unavailable')` where it cannot count.
 */
export interface CallCounter {
  /**
   * Counts one call in every tally, unless a window of one of them is full already. Resolves with 0 where it was counted, else
   * with the milliseconds after which it could be. `now` is in milliseconds since 1970.
   */
  take(tallies: readonly CallTally[], now: number): Promise<number>
  close(): Promise<void>
}

/** Calls that are counted together. */
export interface CallTally {
  readonly name: string
  readonly windows: readonly CallWindow[]
}

/** At most so many calls in any stretch of time of this length. */
export interface CallWindow {
  readonly lengthMs: number
  readonly most: number
}
