/**
 * Shortens text without breaking what a reader sees as one character.
 *
 * INVARIANT: the result is a prefix of the input, at most `max` UTF-16 units long, and never ends inside a surrogate
 * pair, a combining sequence or an emoji sequence.
 */
let segmenter: Intl.Segmenter | undefined

/** Longer clusters than this are decoration; cutting them hurts nobody and keeps the work small. */
const LONGEST_CLUSTER = 64

/** Each of these characters stands for itself. A carriage return may not. */
const ONE_BY_ONE = /^[\n\t -~]*$/

export interface Cut {
  readonly text: string
  readonly truncated: boolean
}

export function cut(text: string, max: number): Cut {
  if (text.length <= max) return { text, truncated: false }
  const from = wholeCodePoint(text, Math.max(0, max - LONGEST_CLUSTER))
  const tail = text.slice(from, max + LONGEST_CLUSTER)
  if (ONE_BY_ONE.test(tail)) return { text: text.slice(0, max), truncated: true }
  let end = from
  for (const { index, segment } of segments(tail)) {
    if (from + index + segment.length > max) break
    end = from + index + segment.length
  }
  return { text: text.slice(0, end > from ? end : wholeCodePoint(text, max)), truncated: true }
}

/** The nearest place at or before `at` that is not between two surrogates. */
function wholeCodePoint(text: string, at: number): number {
  return isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at - 1 : at
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Made with the first use: it takes longer to make than the rest of Postern takes to start. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  return segmenter.segment(text)
}
