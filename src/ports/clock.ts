/** The time, and nothing else. Tests hand in a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds that only ever grow, for durations. */
  elapsed(): number
}
