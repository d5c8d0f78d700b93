/**
 * Uncertain text in answers: text that a person may not see.
 *
 * INVARIANT: it stands beside a body or the text of an attachment, never inside of them, a page at a time. Whatever is not on the
 * page is counted.
 */
import type { UncertainPage } from '../content.ts'
import { cut } from './cut.ts'

/** Characters of one uncertain text in one answer. */
const PAGE_CHARS = 2000

/** Undefined where there is nothing from there on. */
export function uncertainPage(uncertain: string, offset = 0): UncertainPage | undefined {
  const { text, truncated } = cut(uncertain.slice(offset), PAGE_CHARS)
  if (text === '') return undefined
  const end = offset + text.length
  return truncated ? { text, next: { offset: end, remaining: uncertain.length - end } } : { text }
}

/** As JSON answers say it, beside the text that it belongs to. */
export function uncertainFields(page: UncertainPage | undefined): Record<string, unknown> {
  if (page === undefined) return {}
  const { text, next } = page
  const rest = next && { uncertain_next_offset: next.offset, uncertain_remaining: next.remaining }
  return { uncertain_text: text, ...rest }
}
