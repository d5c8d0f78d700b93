/** Answers that may be open: whether a rule applies is yes, no, or not known. */
export const NO = 0
export const MAYBE = 1
export const YES = 2
export type Answer = typeof NO | typeof MAYBE | typeof YES

export function both(a: Answer, b: Answer): Answer {
  return a < b ? a : b
}

export function either(a: Answer, b: Answer): Answer {
  return a > b ? a : b
}

export function opposite(a: Answer): Answer {
  return a === YES ? NO : a === NO ? YES : MAYBE
}
