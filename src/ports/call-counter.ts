/**
 * How often each caller has called lately.
 *
 * Promises: `take` is one step, whatever other calls and processes do: of many at once never more than a window's `most` are
 * let through. A call that is not let through does not count. What was counted is known to every process of this data
 * directory and outlives them. Throws `Failure('unavailable')` where it cannot count.
 */
export interface CallCounter {
  /** Counts one call, unless a window is full already; says whether it did. `now` is in milliseconds since 1970. */
  take(caller: string, windows: readonly CallWindow[], now: number): Promise<boolean>
  close(): Promise<void>
}

/** At most so many calls in any stretch of time of this length. */
export interface CallWindow {
  readonly lengthMs: number
  readonly most: number
}
