/** What somebody most likely meant to write. */

const LONGEST = 64

/** The one of `known` that differs from what was written by a slip or two, if there is one. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  if (written.length > LONGEST) return undefined
  const plain = folded(written)
  const measured = known
    .map((name) => ({ name, slips: distance(plain, folded(name)) }))
    .filter(({ name, slips }) => slips <= Math.max(1, Math.floor(Math.min(name.length, plain.length) / 3)))
  return measured.toSorted((a, b) => a.slips - b.slips)[0]?.name
}

/** Letter case and the kind of separator are no slips. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '')
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
