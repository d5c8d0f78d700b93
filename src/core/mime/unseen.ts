/**
 * Text in a message that no mail program shows: whoever wrote it wrote it for machines.
 *
 * INVARIANT: linear in what is looked at. What programs have always put there (a line on MIME for old readers, a short
 * description of a part) does not count.
 */
import { decodeGuessed } from './bytes.ts'
import type { Part } from './part.ts'
import type { LocatedPart } from './structure.ts'

/** A note of fewer words says nothing to anybody. */
const MIN_WORDS = 4
/** A description of a part is a few words; so many are a text. */
const LONG_DESCRIPTION = 9
/** Notes to readers without MIME are shorter than this. */
const LONGEST_NOTE = 80
/** What is looked at of each place outside the parts. */
const MAX_OUTSIDE_BYTES = 16 * 1024

export const AMP_HTML = 'text/x-amp-html'

/** Parts that are written to be read and shown nowhere, and descriptions that are texts of their own. */
export function countUnseenParts(root: Part): number {
  let count = 0
  const waiting: Part[] = [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type === AMP_HTML) count++
    if (wordsIn(part.description ?? '') >= LONG_DESCRIPTION) count++
    waiting.push(...part.children)
  }
  return count
}

/** Texts before the first and after the last boundary of a multipart. `bytes` is the message that `root` describes. */
export function countUnseenText(bytes: Uint8Array, root: LocatedPart): number {
  let count = 0
  const waiting: LocatedPart[] = [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const { start, end } of part.outside) {
      const text = decodeGuessed(bytes.subarray(start, Math.min(end, start + MAX_OUTSIDE_BYTES)))
      if (isText(text)) count++
    }
    waiting.push(...part.children)
  }
  return count
}

function isText(text: string): boolean {
  const words = wordsIn(text)
  return words >= MIN_WORDS && !(words <= LONGEST_NOTE && /\bMIME\b|multi-?part/i.test(text))
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
}
