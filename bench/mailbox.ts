/** A mailbox of make-believe mail: the same at every run, oldest first, its newest message an HTML mail. */
import type { Delivery } from '../test/dovecot/maildir.ts'

export const MESSAGES = 2000
/** In the subject of every fortieth message and nowhere else. */
export const SUBJECT_WORD = 'invoice'

const FIRST = Date.parse('2025-01-01T08:00:00Z') / 1000
const APART = 3600

export function mailbox(): Delivery[] {
  return Array.from({ length: MESSAGES }, (_, index) => ({
    raw: index % 4 === 3 ? newsletter(index) : note(index),
    received: FIRST + index * APART,
    seen: index % 3 !== 0,
  }))
}

function header(index: number, subject: string): string[] {
  return [
    `From: Sender ${index % 37} <sender${index % 37}@example.org>`,
    'To: Reader <reader@example.net>',
    `Subject: ${subject}`,
    `Message-ID: <bench-${index}@example.org>`,
    `Date: ${new Date((FIRST + index * APART) * 1000).toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
  ]
}

function note(index: number): string {
  const word = index % 40 === 0 ? SUBJECT_WORD : 'note'
  return [
    ...header(index, `A ${word} numbered ${index}`),
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...Array.from({ length: 20 }, (_, line) => `Line ${line} of a letter that says nothing in particular, ${index}.`),
    '',
  ].join('\r\n')
}

/** HTML and nothing else, with styles, a table and about 16 kB of it. */
function newsletter(index: number): string {
  const rows = Array.from(
    { length: 60 },
    (_, row) =>
      `<tr><td style="padding:4px;color:#222;background:#fff"><a href="https://example.org/${index}/${row}">Item ${row}</a></td>` +
      `<td style="font-size:14px">Something new about item ${row}, which costs ${row * 3} euros this week only.</td></tr>`,
  )
  return [
    ...header(index, `News of the week, number ${index}`),
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><head><style>td { border: 1px solid #ccc } .wide { width: 100% }</style></head><body>',
    `<h1>News ${index}</h1><table class="wide">`,
    ...rows,
    '</table></body></html>',
    '',
  ].join('\r\n')
}
