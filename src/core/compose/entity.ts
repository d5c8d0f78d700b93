/**
 * Parts of a message and how they are put into one another.
 *
 * INVARIANT: the same parts give the same bytes, and no boundary occurs in what it separates, whatever that holds.
 */
import { field } from './header-lines.ts'

/** What MIME calls a part with its header fields. ASCII, CRLF between lines, none at the end of its own. */
export interface Entity {
  readonly fields: readonly string[]
  readonly body: string
}

/** `name` makes the boundary one that only this message has. */
export function multipart(kind: 'alternative' | 'mixed', parts: readonly Entity[], name: string): Entity {
  const texts = parts.map(({ fields, body }) => [...fields, '', body].join('\r\n'))
  const boundary = freeBoundary(texts, name.slice(0, MOST_NAME))
  return {
    fields: [field('Content-Type', [`multipart/${kind};`, `boundary="${boundary}"`])],
    body: [...texts.map((text) => `--${boundary}\r\n${text}\r\n`), `--${boundary}--\r\n`].join(''),
  }
}

/** RFC 2046 allows 70 characters for all of a boundary. */
const MOST_NAME = 48

/**
 * The first number that nobody has written, so that looking is done once and not for every number in turn. No boundary is
 * the beginning of another one: some readers compare no further.
 */
function freeBoundary(texts: readonly string[], name: string): string {
  const pattern = new RegExp(`=_(\\d{1,9})_${name.replaceAll('.', '\\.')}`, 'g')
  const taken = new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, number]) => Number(number))))
  let number = 0
  while (taken.has(number)) number++
  return `=_${number}_${name}`
}
