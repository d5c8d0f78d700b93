/**
 * A calendar file as lines that a person can read: what, when, where, who.
 *
 * INVARIANT: linear in the size of the text, never throws on what is a calendar, whatever is in it.
 */
import type { Paper } from './paper.ts'

/** What is told of an event or a task, and how it is called. */
const TOLD: ReadonlyMap<string, string> = new Map([
  ['SUMMARY', 'Summary'],
  ['STATUS', 'Status'],
  ['DTSTART', 'Start'],
  ['DTEND', 'End'],
  ['DUE', 'Due'],
  ['DURATION', 'Duration'],
  ['RRULE', 'Repeats'],
  ['LOCATION', 'Location'],
  ['ORGANIZER', 'Organizer'],
  ['ATTENDEE', 'Attendee'],
  ['DESCRIPTION', 'Description'],
])
const PEOPLE = new Set(['ORGANIZER', 'ATTENDEE'])
const MOMENTS = new Set(['DTSTART', 'DTEND', 'DUE'])
const COMPONENTS = new Set(['VEVENT', 'VTODO', 'VJOURNAL'])

interface Property {
  readonly name: string
  readonly parameters: ReadonlyMap<string, string>
  readonly value: string
}

export function readIcs(text: string, paper: Paper): void {
  if (!/^\ufeff?\s*BEGIN:VCALENDAR\s*$/im.test(text.slice(0, 1000))) throw new Error('not a calendar')
  const open: string[] = []
  for (const line of unfolded(text)) {
    if (paper.full) return
    const property = parse(line)
    if (property === undefined) continue
    const value = property.value.trim().toUpperCase()
    if (property.name === 'BEGIN') begin(value, open, paper)
    else if (property.name === 'END') open.pop()
    else tell(property, open, paper)
  }
}

function begin(component: string, open: string[], paper: Paper): void {
  if (COMPONENTS.has(component)) paper.gap()
  // Deeper than any calendar goes: nothing is told there.
  open.push(component)
}

function tell(property: Property, open: readonly string[], paper: Paper): void {
  const { name, value } = property
  const place = open.at(-1) ?? ''
  if (name === 'METHOD' && place === 'VCALENDAR') paper.write(`Method: ${value}`)
  const label = COMPONENTS.has(place) ? TOLD.get(name) : undefined
  if (label === undefined || value === '') return
  paper.line()
  paper.write(`${label}: ${shown(property)}`)
}

function shown(property: Property): string {
  if (PEOPLE.has(property.name)) return person(property)
  return MOMENTS.has(property.name) ? moment(property) : unescaped(property.value)
}

function person({ parameters, value }: Property): string {
  const address = value.replace(/^mailto:/i, '')
  const name = parameters.get('CN')
  const answer = parameters.get('PARTSTAT')
  const who = name === undefined || name === address ? address : `${name} <${address}>`
  return answer === undefined ? who : `${who}, ${answer.toLowerCase()}`
}

/** `20260301T100000` in a zone, in UTC (`Z`), or where the reader is. */
function moment({ parameters, value }: Property): string {
  const parts = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(value.trim())
  if (parts === null) return value
  const [, year, month, day, hour, minute, second, utc] = parts
  const clock = hour === undefined ? '' : ` ${hour}:${minute}${second === '00' ? '' : `:${second}`}`
  const zone = utc === 'Z' ? 'UTC' : hour === undefined ? undefined : parameters.get('TZID')
  return `${year}-${month}-${day}${clock}${zone === undefined ? '' : ` ${zone}`}`
}

function unescaped(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, letter: string) => (letter.toLowerCase() === 'n' ? '\n' : letter)).trim()
}

/** A line that begins with a blank goes on where the one before it ended. */
function unfolded(text: string): string[] {
  return text.replace(/\r?\n[ \t]/g, '').split(/\r\n|\n|\r/)
}

/** `NAME;PARAMETER=value;OTHER="quoted: value":the value`. */
function parse(line: string): Property | undefined {
  const name = /^[A-Za-z0-9-]{1,64}(?=[;:])/.exec(line)?.[0]
  if (name === undefined) return undefined
  const parameters = new Map<string, string>()
  let at = name.length
  const parameter = /;([A-Za-z0-9-]{1,64})=("[^"]*"|[^";:]*)(?:,(?:"[^"]*"|[^";:]*))*/y
  for (;;) {
    parameter.lastIndex = at
    const found = parameter.exec(line)
    if (found === null) break
    parameters.set((found[1] ?? '').toUpperCase(), (found[2] ?? '').replace(/^"|"$/g, ''))
    at = parameter.lastIndex
  }
  return line[at] === ':' ? { name: name.toUpperCase(), parameters, value: line.slice(at + 1) } : undefined
}
