/**
 * Takes out of a result what lies above the level a caller was granted.
 *
 * INVARIANT: a result at one level is a field-wise subset of the same result at the next.
 */
import type { ActionKind, ResultOf } from '../action.ts'
import { atLeast, type Level } from './level.ts'

const SHOWN_FROM = {
  date: 'ENVELOPE',
  from: 'ENVELOPE',
  to: 'ENVELOPE',
  cc: 'ENVELOPE',
  subject: 'ENVELOPE',
  header: 'HEADERS',
  text: 'BODY',
  html: 'BODY',
  snippet: 'BODY',
  attachments: 'FULL',
} as const satisfies Record<string, Level>

type Field = keyof typeof SHOWN_FROM

const FIELDS = Object.keys(SHOWN_FROM) as Field[]

export interface Redacted<K extends ActionKind> {
  readonly result: ResultOf<K>
  /** The fields that a result of this kind has and this caller does not see. */
  readonly redacted: readonly string[]
}

type Redactor<K extends ActionKind> = (result: ResultOf<K>, above: readonly Field[]) => Redacted<K>

const REDACTORS: { readonly [K in ActionKind]?: Redactor<K> } = {
  search: (page, above) => ({
    result: { ...page, messages: page.messages.map((message) => without(message, above)) },
    redacted: above.filter((field) => ['date', 'from', 'subject', 'snippet'].includes(field)),
  }),
  read_message: (view, above) => ({
    result: without(view, above),
    redacted: above.filter((field) => field !== 'snippet'),
  }),
}

export function redact<K extends ActionKind>(kind: K, result: ResultOf<K>, level: Level): Redacted<K> {
  const above = FIELDS.filter((field) => !atLeast(level, SHOWN_FROM[field]))
  const redactor: Redactor<K> | undefined = REDACTORS[kind]
  return above.length === 0 || redactor === undefined ? { result, redacted: [] } : redactor(result, above)
}

function without<T extends object>(value: T, fields: readonly Field[]): T {
  const emptied = fields.filter((field) => field in value).map((field) => [field, emptyOf(field)])
  return { ...value, ...Object.fromEntries(emptied) }
}

function emptyOf(field: Field): readonly never[] | undefined {
  return field === 'header' || field === 'attachments' ? [] : undefined
}
