/**
 * How much of what a person sees of ordinary mail is delivered as visible, as uncertain, or not at all.
 *
 * INVARIANT: a word counts as often as Chromium shows it.
 */
import type { Oracle } from './oracle.ts'
import type { Reader } from './verdict.ts'

export interface Share {
  readonly visible: number
  readonly uncertain: number
  readonly lost: number
  /** Words of each kind, for a person who wants to know why. */
  readonly withheld: readonly string[]
  readonly missing: readonly string[]
  readonly reasons: readonly string[]
}

export const NOTHING: Share = { visible: 0, uncertain: 0, lost: 0, withheld: [], missing: [], reasons: [] }

const MOST_CHARS = 1_000_000

export async function shareOf(read: Reader, oracle: Oracle, html: string): Promise<Share> {
  const { text, uncertain = '', reasons = [] } = read(html, MOST_CHARS)
  return { ...sharedOut(await oracle.shownWords(html), text, uncertain), reasons }
}

/** Each shown word is looked for in the visible text first, then in the uncertain text. */
function sharedOut(shown: readonly string[], text: string, uncertain: string): Omit<Share, 'reasons'> {
  const [here, there] = [countsOf(text), countsOf(uncertain)]
  const [withheld, missing]: [string[], string[]] = [[], []]
  let visible = 0
  for (const word of shown) {
    const key = word.toLowerCase()
    if (taken(here, key)) visible++
    else if (taken(there, key)) withheld.push(word)
    // Elements can divide what reads as one word.
    else if (text.toLowerCase().includes(key)) visible++
    else if (uncertain.toLowerCase().includes(key)) withheld.push(word)
    else missing.push(word)
  }
  return { visible, uncertain: withheld.length, lost: missing.length, withheld, missing }
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function taken(counts: Map<string, number>, word: string): boolean {
  const left = counts.get(word) ?? 0
  if (left > 0) counts.set(word, left - 1)
  return left > 0
}

export function sum(one: Share, other: Share): Share {
  return {
    visible: one.visible + other.visible,
    uncertain: one.uncertain + other.uncertain,
    lost: one.lost + other.lost,
    withheld: [...one.withheld, ...other.withheld],
    missing: [...one.missing, ...other.missing],
    reasons: [...one.reasons, ...other.reasons],
  }
}

/** `1,234 words: 98.1 % visible, 1.9 % uncertain, 0 lost` */
export function figures({ visible, uncertain, lost }: Share): string {
  const all = Math.max(1, visible + uncertain + lost)
  const percent = (part: number): string => `${((100 * part) / all).toFixed(2)} %`
  return `${all} words: ${percent(visible)} visible, ${percent(uncertain)} uncertain, ${lost} lost`
}

/** `display 12, @font-face 3`: the commonest first. */
export function commonest(reasons: readonly string[]): string {
  return [...Map.groupBy(reasons, (reason) => reason)]
    .map(([reason, all]) => ({ reason, count: all.length }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 12)
    .map(({ reason, count }) => `${reason} ${count}`)
    .join(', ')
}
