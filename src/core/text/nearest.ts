/** What somebody most likely meant to write. */

const LONGEST = 64
const MOST_SLIPS = 2

/** The one of `known` that differs from what was written by a slip or two, if there is one. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  if (written.length > LONGEST) return undefined
  const words = wordsOf(written)
  const measured = known
    .map((name) => ({ name, slips: slipsBetween(words, wordsOf(name)) }))
    .filter(({ slips }) => Number.isFinite(slips))
  return measured.toSorted((a, b) => a.slips - b.slips)[0]?.name
}

/** Letter case and the kind of separator are no slips. */
function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[-_ ]/)
}

/**
 * Infinite where the two differ by more than a slip or two. Names of as many words are compared word by word: `body_contains` and
 * `to_contains` have most of their letters in common and mean different things.
 */
function slipsBetween(written: readonly string[], name: readonly string[]): number {
  if (written.length !== name.length) return slipsOf(written.join(''), name.join(''))
  return written.reduce((sum, word, at) => sum + slipsOf(word, name[at] ?? ''), 0)
}

function slipsOf(written: string, name: string): number {
  const slips = distance(written, name)
  const most = Math.min(MOST_SLIPS, Math.max(1, Math.floor(Math.min(written.length, name.length) / 3)))
  return slips <= most ? slips : Number.POSITIVE_INFINITY
}

/** How many letters have to be added, removed or changed, or swapped with their neighbour. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const known = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= b.length; column += 1) {
      const changed = known(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const moved = Math.min(changed, known(row - 1, column) + 1, known(row, column - 1) + 1)
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] && row > 1 && column > 1
      current.push(swapped ? Math.min(moved, known(row - 2, column - 2) + 1) : moved)
    }
  }
  return known(a.length, b.length)
}
