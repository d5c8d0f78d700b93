/**
 * Whether the plain and the HTML version of a message say the same.
 *
 * A person sees one of them and an agent the other, so what stands in only one is said behind somebody's back. Programs
 * that write both leave out words here and there (links, captions, a line on how to unsubscribe), but no passage.
 *
 * INVARIANT: linear in the size of the texts.
 */

/** So many words in a row that are nowhere in the other version are a passage of its own. */
const FOREIGN_PASSAGE = 7
/** Or, in a short or a patched text: this much of it, if that is more than chance. */
const FOREIGN_SHARE = 0.4
const LEAST_FOREIGN = 4
/** What is beyond is not compared. */
const MAX_WORDS = 20_000

export interface Compared {
  /** One of the texts is only a beginning: what is near its end may stand beyond the end of the other. */
  readonly partial?: boolean
}

export function alternativesDiffer(plainText: string, htmlText: string, { partial = false }: Compared = {}): boolean {
  const plain = wordsOf(plainText)
  const html = wordsOf(htmlText)
  // An empty version hides nothing: both readers are shown the other one.
  if (plain.length === 0 || html.length === 0) return false
  return hasForeignPassage(plain, html, partial) || hasForeignPassage(html, plain, partial)
}

const LINK = /(?:https?:\/\/|www\.|mailto:)\S+/gi
const WORD = /[\p{L}\p{N}]+/gu

function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const [word] of text.toLowerCase().replace(LINK, ' ').matchAll(WORD)) {
    if (words.push(word) >= MAX_WORDS) break
  }
  return words
}

/** Pairs of neighbours are compared, not words: any long text holds most common words. */
function hasForeignPassage(words: readonly string[], others: readonly string[], partial: boolean): boolean {
  const known = new Set(others.map((word, at) => `${word} ${others[at + 1] ?? ''}`))
  const end = partial || words.length >= MAX_WORDS ? Math.floor(words.length / 2) : words.length
  let [inARow, inAll] = [0, 0]
  for (let at = 0; at + 1 < end; at++) {
    const foreign = !known.has(`${words[at]} ${words[at + 1]}`)
    inARow = foreign ? inARow + 1 : 0
    inAll += foreign ? 1 : 0
    if (inARow >= FOREIGN_PASSAGE) return true
  }
  return inAll >= LEAST_FOREIGN && inAll > FOREIGN_SHARE * end
}
