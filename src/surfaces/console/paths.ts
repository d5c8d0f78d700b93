/**
 * Which paths are the console's.
 *
 * INVARIANT: told by the request as it was sent, before anybody has put it in order. A path that could be read as ours in another
 * spelling, and is not written as ours are, is nobody's.
 */
export type Place = 'ours' | 'disguised' | 'elsewhere'

/** What ids may hold stands for itself, or is written as browsers write it. */
const PLAIN = /^\/console(?:\/(?:[A-Za-z0-9_.@+~:-]|%40|%2B|%3A)+)*\/?$/
const DOTS = /\/\.{1,2}(?:\/|$)/
const MOST_DECODED = 5

/** `target` is what stands in the request line. */
export function placeOf(target: string): Place {
  const [path = ''] = target.split(/[?#]/, 1)
  if (path === '/') return 'ours'
  if (PLAIN.test(path) && !DOTS.test(path)) return 'ours'
  return decoded(path).includes('console') ? 'disguised' : 'elsewhere'
}

/** As somebody might read it who means well. */
function decoded(path: string): string {
  let text = path
  for (let round = 0; round < MOST_DECODED; round++) {
    const next = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === text) break
    text = next
  }
  return text.toLowerCase()
}
