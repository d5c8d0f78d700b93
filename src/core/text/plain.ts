/**
 * Text from outside, made fit to be shown to an agent: for bodies, header values, file names, text out of documents.
 *
 * INVARIANT: linear in the size of the text, never throws. What comes back holds no control character but `\n` and `\t`,
 * no character that is invisible or changes the direction of others, and is otherwise exactly what was given.
 */
import type { Warning } from '../content.ts'
import { countDeceptive } from './deception.ts'
import { foldFloods } from './floods.ts'
import { type Counts, removeInvisible, removeTerminalSequences } from './invisible.ts'

export interface CleanText {
  readonly text: string
  readonly warnings: readonly Warning[]
}

const PLAIN_ASCII = /^[\n\t -~]*$/

export function cleanText(text: string): CleanText {
  const counts: Counts = new Map()
  const isPlain = PLAIN_ASCII.test(text)
  const shown = isPlain ? text : removeInvisible(removeTerminalSequences(text, counts), counts)
  const { text: folded, folded: floods } = foldFloods(shown)
  counts.set('blank_flood_folded', floods)
  counts.set('deceptive_characters', isPlain ? 0 : countDeceptive(folded))
  const warnings = [...counts].filter(([, count]) => count > 0).map(([kind, count]) => ({ kind, count }))
  return { text: folded, warnings }
}

/** The same for what must be one line: a header value, a name, a file name. */
export function cleanLine(text: string): CleanText {
  const { text: shown, warnings } = cleanText(text)
  return { text: shown.replace(/[\n\t]+/g, ' ').trim(), warnings }
}
