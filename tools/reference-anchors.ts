/** The anchors of headings, as GitHub makes them. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Of a page: the second heading of a name gets a number. */
export class Anchors {
  readonly #seen = new Map<string, number>()

  next(heading: string): string {
    const anchor = anchorOf(heading)
    const before = this.#seen.get(anchor) ?? 0
    this.#seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}
