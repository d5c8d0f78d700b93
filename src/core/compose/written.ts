/** What a letter says, with the quotation of what it answers: as plain text, and as HTML where there is any. */
import type { Letter } from '../action.ts'
import { Failure } from '../failure.ts'
import { flow, plainLines } from './flow.ts'
import type { Quotation } from './threading.ts'

export interface Written {
  /** Format=flowed. */
  readonly flowed: readonly string[]
  /** As a reader gets it: what was flowed, joined again. */
  readonly text: string
  /** None where it would show nothing and so hide the text. */
  readonly html: string | undefined
}

export function writtenOf(letter: Pick<Letter, 'body' | 'html'>, quoted: Quotation | undefined): Written {
  const lines = plainLines(wholeLines(letter.body, 'body'))
  const html = wholeLines(letter.html ?? '', 'html')
  return {
    flowed: [...flow(lines), ...(quoted?.flowed ?? [])],
    text: [...lines, ...(quoted?.plain ?? [])].join('\n'),
    // Readers show one of the two, so both must quote.
    html: html.trim() === '' ? undefined : [html, ...(quoted?.html ?? [])].join('\n'),
  }
}

/** Line breaks of every kind become one, none at the end; NUL and half characters are no text. */
function wholeLines(written: string, what: string): string {
  if (written.includes('\0') || !written.isWellFormed()) {
    throw new Failure('invalid_input', `${what} must be text without NUL characters`)
  }
  const lines = written.replace(/\r\n?/g, '\n')
  // By hand: a pattern for the end of a text is tried anew at every blank line of it.
  let end = lines.length
  while (lines.charAt(end - 1) === '\n') end -= 1
  return lines.slice(0, end)
}
