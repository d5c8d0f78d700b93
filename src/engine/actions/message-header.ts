/**
 * Header fields as an agent is shown them.
 *
 * INVARIANT: every string here is one line, decoded, free of invisible characters, and bounded.
 */
import { mergeWarnings, type Warning } from '../../core/content.ts'
import { formatAddresses, parseAddresses } from '../../core/mime/addresses.ts'
import { isoSeconds, parseDate } from '../../core/mime/date.ts'
import { allFields, decodeUnstructured, firstField, type HeaderField } from '../../core/mime/header.ts'
import { cut } from '../../core/text/cut.ts'
import { cleanText } from '../../core/text/plain.ts'

const MAX_VALUE = 4_000
const MAX_PEOPLE = 100
const MAX_HEADER = 64_000

/** When the sender says it was sent, else when the server received it. */
export function dateOf(header: readonly HeaderField[], received: number): string {
  const date = firstField(header, 'date')
  return isoSeconds((date === undefined ? undefined : parseDate(date)) ?? received * 1000)
}

export function subjectOf(header: readonly HeaderField[]): string | undefined {
  const subject = firstField(header, 'subject')
  return subject === undefined ? undefined : shown(subject).text
}

export function messageIdOf(header: readonly HeaderField[]): string | undefined {
  const id = firstField(header, 'message-id')
  return id === undefined ? undefined : shown(id).text
}

/** All addresses of all fields of that name, as `Name <address>` text. */
export function peopleIn(header: readonly HeaderField[], name: string): string | undefined {
  const people = allFields(header, name).flatMap((value) => parseAddresses(value))
  if (people.length === 0) return undefined
  const rest = people.length - MAX_PEOPLE
  const text = formatAddresses(people.slice(0, MAX_PEOPLE)) + (rest > 0 ? `, and ${rest} more` : '')
  return cleanText(text).text
}

/** Every field decoded, as many as fit. */
export function shownHeader(header: readonly HeaderField[]): { fields: HeaderField[]; warnings: readonly Warning[] } {
  const fields: HeaderField[] = []
  const warnings: (readonly Warning[])[] = []
  let room = MAX_HEADER
  for (const { name, value } of header) {
    const { text, found } = shown(value)
    room -= name.length + text.length
    if (room < 0) break
    fields.push({ name, value: text })
    warnings.push(found)
  }
  const cutOff: Warning[] = fields.length < header.length ? [{ kind: 'content_incomplete', count: 1 }] : []
  return { fields, warnings: mergeWarnings(...warnings, cutOff) }
}

function shown(raw: string): { text: string; found: readonly Warning[] } {
  const { text, warnings } = cleanText(decodeUnstructured(raw))
  return { text: cut(text.replace(/\s+/gu, ' ').trim(), MAX_VALUE).text, found: warnings }
}
