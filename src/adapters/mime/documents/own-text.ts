/** Text that is kept. */

/** Shorter ones the engine copies by itself. */
const SHORTEST_SLICE = 13

/** A piece of a string holds on to all of the string that it was cut from: a copy does not. */
export function ownText(text: string): string {
  return text.length < SHORTEST_SLICE ? text : Buffer.from(text, 'utf16le').toString('utf16le')
}
