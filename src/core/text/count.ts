/** A number and what is counted, as people say it. */

/** `1 account`, `2 accounts`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
