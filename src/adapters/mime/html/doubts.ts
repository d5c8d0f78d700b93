/** What is wrong with an element. */
export interface Range {
  readonly least: number
  readonly most: number
}

/** Collects what is wrong with an element. */
export class Doubts {
  hidden: string | undefined
  doubt: string | undefined
  reach: string | undefined
  isPushing = false
  away = 0
  isInPlace = false
  isDownward = false

  own(reason: string): void {
    this.doubt ??= reason
  }

  /** `isQuiet`: only what it paints itself can reach others. */
  reaching(reason: string, isQuiet = false): void {
    this.doubt ??= reason
    this.reach ??= reason
    this.isPushing ||= !isQuiet
  }
}
