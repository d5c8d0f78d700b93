/**
 * What the plain version of a message says that its HTML version does not show, and the other way round.
 *
 * Most people see the HTML, so what only the plain text says is uncertain text. Programs that write both versions break
 * lines, mark emphasis and number links in their own way: only words, numbers, mail addresses and links are compared.
 *
 * INVARIANT: linear in the size of the texts but for sorting what they say, and all of both is compared. A word, a number, an address or a link of the plain text
 * that stands nowhere in the HTML's text is always in a passage.
 */
import { Numbering, type Tokens, tokensOf } from './tokens.ts'

/** Words around a passage, so that a number or an address says what it is about. */
const CONTEXT = 3
/** Words of the other text in an order of their own: fewer are how a program lays out lists and tables. */
const LEAST_REORDERED = 4
/** Words in a row: programs leave out fewer of them when they write a plain text (captions, lines about links). */
const LONG_PASSAGE = 7
/** Shorter numbers number things. */
const SHORT_NUMBER = 2

const NAMED = [
  ['number', 'numbers'],
  ['address', 'addresses'],
  ['link', 'links'],
] as const

export interface Difference {
  /** The passages that only the plain text has, each on one line, in its order. */
  readonly onlyPlain: readonly string[]
  /** What else than words they hold: `numbers`, `addresses`, `links`. */
  readonly kinds: readonly string[]
  /** How many longer passages only the HTML has. People see them; a person who reads the plain text does not. */
  readonly longOnlyHtml: number
}

export function compareVersions(plainText: string, htmlText: string): Difference {
  const numbering = new Numbering()
  const plain = tokensOf(plainText, numbering)
  const html = tokensOf(htmlText, numbering)
  const foreign = foreignIn(plain, new Known(html, numbering.size))
  return {
    onlyPlain: passages(plainText, plain, foreign),
    kinds: NAMED.filter(([kind]) => plain.kinds.some((one, at) => one === kind && foreign[at] === 1)).map(
      ([, name]) => name,
    ),
    longOnlyHtml: plain.ids.length === 0 ? 0 : longPassages(html, foreignIn(html, new Known(plain, numbering.size))),
  }
}

/** Before the first token and after the last one. */
const NOTHING = 0
/** More than there are tokens in any text. */
const PAIR = 2 ** 24

/** What a text says, to be looked up by what is said in another. Sorted: no text can make looking up slow, as it could with hashes. */
class Known {
  readonly #ids: Uint8Array
  readonly #pairs: Float64Array

  constructor({ ids, kinds }: Tokens, size: number) {
    this.#ids = new Uint8Array(size + 1)
    this.#pairs = new Float64Array(ids.length + 1)
    let before = NOTHING
    let many = 0
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? NOTHING
      this.#ids[id] = 1
      if (kinds[at] === 'link') continue
      this.#pairs[many++] = before * PAIR + id
      before = id
    }
    this.#pairs[many] = before * PAIR + NOTHING
    this.#pairs.sort()
  }

  has(id: number): boolean {
    return this.#ids[id] === 1
  }

  /** Whether they stand one after the other, links aside. */
  hasPair(one: number, other: number): boolean {
    const pair = one * PAIR + other
    let [low, high] = [0, this.#pairs.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#pairs[middle] ?? 0) < pair) low = middle + 1
      else high = middle
    }
    return this.#pairs[low] === pair
  }
}

/** For each token 1 where it is to be in a passage. */
function foreignIn({ ids, kinds, starts, ends }: Tokens, known: Known): Uint8Array {
  const foreign = Uint8Array.from(ids, (id) => (known.has(id) ? 0 : 1))
  // Links stand where programs put them: all others are compared as they follow each other.
  const said = places(kinds)
  const idAt = (place: number): number => ids[said[place] ?? -1] ?? NOTHING
  let from = 0
  const close = (end: number): void => {
    if (end - from >= LEAST_REORDERED) for (const at of said.subarray(from, end)) foreign[at] = 1
    from = end + 1
  }
  for (let place = 0; place < said.length; place++) {
    const at = said[place] ?? 0
    const id = idAt(place)
    const isAfter = known.hasPair(idAt(place - 1), id)
    const isBefore = known.hasPair(id, idAt(place + 1))
    // Two numbers that have changed places stand in both texts, next to other words.
    const isTelling = kinds[at] !== 'word' && (ends[at] ?? 0) - (starts[at] ?? 0) > SHORT_NUMBER
    if (isTelling && !(isAfter && isBefore)) foreign[at] = 1
    if (foreign[at] === 0 && (isAfter || isBefore)) close(place)
  }
  close(said.length)
  return foreign
}

/** Of all but links. */
function places(kinds: Tokens['kinds']): Int32Array {
  const found = new Int32Array(kinds.length)
  let many = 0
  for (let at = 0; at < kinds.length; at++) if (kinds[at] !== 'link') found[many++] = at
  return found.subarray(0, many)
}

/** Foreign tokens with the words around them; those that touch are one passage. */
function passages(text: string, { starts, ends }: Tokens, foreign: Uint8Array): string[] {
  const found: string[] = []
  let from = -1
  let last = -1
  const close = (): void => {
    if (from < 0) return
    const start = starts[Math.max(0, from - CONTEXT)] ?? 0
    const end = ends[Math.min(ends.length - 1, last + CONTEXT)] ?? text.length
    found.push(text.slice(start, end).replace(/\s+/gu, ' ').trim())
  }
  for (let at = foreign.indexOf(1); at >= 0; at = foreign.indexOf(1, at + 1)) {
    if (from < 0 || at - last > 2 * CONTEXT + 1) {
      close()
      from = at
    }
    last = at
  }
  close()
  return found
}

function longPassages({ kinds }: Tokens, foreign: Uint8Array): number {
  let count = 0
  let inARow = 0
  for (const [at, kind] of kinds.entries()) {
    if (kind === 'link') continue
    inARow = foreign[at] === 1 ? inARow + 1 : 0
    if (inARow === LONG_PASSAGE) count += 1
  }
  return count
}
