/** What a doctor found, for people: one line a finding, and below it what mends it. */
import { count } from '../../../core/text/count.ts'
import type { Examination, Examined } from '../../../engine/doctor/examine.ts'
import { escaped } from '../escaped.ts'

const MARKS = { ok: 'ok', warning: 'warning', broken: 'BROKEN' } as const
const MARK_WIDTH = 9
const NAME_WIDTH = 15

export function reportText({ findings, counts }: Examination): string {
  const { broken, warning, ok } = counts
  const summary =
    broken + warning === 0
      ? `All is well: ${ok} found in order.`
      : `${broken} broken, ${count(warning, 'warning')}, ${ok} ok.`
  return `${findings.map(linesOf).join('')}\n${summary}\n`
}

function linesOf({ check, verdict, subject, sentence, cure }: Examined): string {
  const about = subject === undefined ? '' : `${subject}: `
  const head = `${MARKS[verdict].padEnd(MARK_WIDTH)}${check.padEnd(NAME_WIDTH)}${escaped(about + sentence)}\n`
  return cure === undefined ? head : `${head}${' '.repeat(MARK_WIDTH + NAME_WIDTH)}→ ${escaped(cure)}\n`
}
