/**
 * Text that stands where nobody looks: comments, attributes, the title.
 *
 * It is never shown; what reads like a sentence is counted, so that a reader is told. Names, captions and notes of
 * template writers are shorter than that and would only make the warning mean nothing.
 */
const SENTENCE_WORDS = 7
const SHORTEST = 24
const LONGEST = 20_000
const WORD = /^["'(]*[\p{L}\p{N}][\p{L}\p{N}'’@._/-]*["'),.:;!?]*$/u

export function readsLikeSentence(text: string): boolean {
  if (text.length < SHORTEST) return false
  let words = 0
  for (const piece of text.slice(0, LONGEST).split(/\s+/)) {
    if (piece === '') continue
    words = piece.length <= 60 && WORD.test(piece) ? words + 1 : 0
    if (words >= SENTENCE_WORDS) return true
  }
  return false
}

/** A comment may hold markup: only what stands between its tags is read. */
export function commentReadsLikeSentence(comment: string): boolean {
  if (comment.length < SHORTEST) return false
  if (!comment.includes('<')) return readsLikeSentence(comment)
  return betweenTags(comment.slice(0, LONGEST)).some(readsLikeSentence)
}

function betweenTags(markup: string): string[] {
  const pieces: string[] = []
  let at = 0
  while (at < markup.length) {
    const open = markup.indexOf('<', at)
    pieces.push(markup.slice(at, open === -1 ? undefined : open))
    if (open === -1) break
    at = afterTag(markup, open)
  }
  return pieces
}

function afterTag(markup: string, open: number): number {
  const raw = /^<(style|script|xml)\b/i.exec(markup.slice(open, open + 8))
  const end = raw === null ? '>' : `</${raw[1]?.toLowerCase()}`
  const from = raw === null ? markup : markup.toLowerCase()
  const at = from.indexOf(end, open)
  return at === -1 ? markup.length : at + end.length
}
