/** How a measurement is told: a table, then its goals. Nothing here judges beyond PASS and MISS. */

export interface Goal {
  readonly what: string
  readonly measured: number
  /** What `measured` may be at most. */
  readonly atMost: number
  readonly write: (value: number) => string
}

export interface Section {
  readonly title: string
  readonly note: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly goals: readonly Goal[]
}

export function sectionText({ title, note, head, rows, goals }: Section): string {
  return [`## ${title}`, note, '', ...table(head, rows), '', ...goals.map(goalText), ''].join('\n')
}

export function goalText({ what, measured, atMost, write }: Goal): string {
  const verdict = measured <= atMost ? 'PASS' : 'MISS'
  return `${verdict}  ${what}: ${write(measured)} (goal: at most ${write(atMost)})`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width, column)).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)]
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width)
}
