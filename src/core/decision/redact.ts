/**
 * Takes out of a result what lies above the level a caller was granted.
 *
 * INVARIANT: a result at one level is a field-wise subset of the same result at the next. Rows of a listing are each cut
 * to the level of their own message; one that shows not even its uid is no row. What is not known is not shown.
 */
import type { ActionKind, ResultOf } from '../action.ts'
import type { WarningKind } from '../content.ts'
import type { MarkEnding } from '../many.ts'
import { atLeast, type Level } from '../policy/level.ts'
import type { FlagsChange, MessageView, Relocation } from '../results.ts'
import type { Allowance } from './decide.ts'

const SHOWN_FROM = {
  flags: 'METADATA',
  size: 'METADATA',
  date: 'ENVELOPE',
  from: 'ENVELOPE',
  to: 'ENVELOPE',
  cc: 'ENVELOPE',
  subject: 'ENVELOPE',
  messageId: 'ENVELOPE',
  header: 'HEADERS',
  text: 'BODY',
  html: 'BODY',
  snippet: 'BODY',
  hasAttachment: 'FULL',
  attachments: 'FULL',
} as const satisfies Record<string, Level>

type Field = keyof typeof SHOWN_FROM

const FIELDS = Object.keys(SHOWN_FROM) as Field[]

export interface Redacted<K extends ActionKind> {
  readonly result: ResultOf<K>
  /** The fields that a result of this kind has and this caller does not see, in some row of it at least. */
  readonly redacted: readonly string[]
}

type Redactor<K extends ActionKind> = (result: ResultOf<K>, allowance: Allowance) => Redacted<K>

const REDACTORS: { readonly [K in ActionKind]?: Redactor<K> } = {
  search: (page) => {
    const { shown, redacted } = rows(page.messages)
    return { result: { ...page, messages: shown }, redacted }
  },
  browse: (page) => {
    const { shown, redacted } = rows(page.messages)
    const uids = new Set(shown.map(({ uid }) => uid))
    const identities = page.identities?.filter(({ uid }) => uids.has(uid))
    return { result: { ...page, messages: shown, identities }, redacted }
  },
  find_mail: (page) => {
    const { shown, redacted } = rows(page.messages)
    return { result: { ...page, messages: shown }, redacted }
  },
  read_message: (view, { level }) => cut(withoutTraces(view, level), level),
  update_flags: (change, { level }) => cut(change, level),
  mark_seen: (change, { level }) => cut(change, level),
  tag_message: (change, { level }) => cut(change, level),
  mark_many: ({ endings, ...rest }) => {
    const cuts = endings.map(({ change, ...ending }) =>
      change === undefined ? { ending, redacted: [] } : markCut(ending, change),
    )
    return {
      result: { ...rest, endings: cuts.map(({ ending }) => ending) },
      redacted: [...new Set(cuts.flatMap(({ redacted }) => redacted))],
    }
  },
  copy_message: (relocation, { targetLevel }) => relocated(relocation, targetLevel),
  move_message: (relocation, { targetLevel }) => relocated(relocation, targetLevel),
}

export function redact<K extends ActionKind>(kind: K, result: ResultOf<K>, allowance: Allowance): Redacted<K> {
  const redactor: Redactor<K> | undefined = REDACTORS[kind]
  return redactor === undefined ? { result, redacted: [] } : redactor(result, allowance)
}

/** The fields above a level, of all that results have. */
export function fieldsAbove(level: Level): readonly Field[] {
  return FIELDS.filter((field) => !atLeast(level, SHOWN_FROM[field]))
}

interface Cut<T> {
  readonly result: T
  readonly redacted: readonly string[]
}

function rows<R extends { readonly level: Level }>(
  messages: readonly R[],
): { readonly shown: readonly R[]; readonly redacted: readonly string[] } {
  const cuts = messages.filter(({ level }) => atLeast(level, 'METADATA')).map((row) => cut(row, row.level))
  const redacted = new Set(cuts.flatMap((row) => row.redacted))
  return { shown: cuts.map(({ result }) => result), redacted: FIELDS.filter((field) => redacted.has(field)) }
}

function cut<T extends object>(value: T, level: Level): Cut<T> {
  const above = fieldsAbove(level).filter((field) => field in value)
  if (above.length === 0) return { result: value, redacted: [] }
  const emptied = above.map((field) => [field, emptyOf(field)])
  return { result: { ...value, ...Object.fromEntries(emptied) }, redacted: above }
}

/** One of several messages, at its own level. */
function markCut(
  ending: Omit<MarkEnding, 'change'>,
  change: FlagsChange,
): { readonly ending: MarkEnding; readonly redacted: readonly string[] } {
  const { result, redacted } = cut(change, ending.level)
  return { ending: { ...ending, change: result }, redacted }
}

/** Both say nothing: a list where a list is due, else absence. */
function emptyOf(field: Field): readonly never[] | undefined {
  return field === 'header' || field === 'attachments' ? [] : undefined
}

/** What is said about a body or a header, where they themselves are not shown. */
function withoutTraces(view: MessageView, level: Level): MessageView {
  const warnings = view.warnings.filter(({ kind }) => atLeast(level, WARNED_FROM[kind] ?? 'BODY'))
  // It is made of the messages that this one refers to.
  const threadId = atLeast(level, SHOWN_FROM.header) ? view.threadId : undefined
  if (atLeast(level, 'BODY')) return { ...view, threadId, warnings }
  return { ...view, threadId, warnings, textTruncated: false, htmlTruncated: false, issues: [] }
}

/** The others are about what a body holds. */
const WARNED_FROM: { readonly [K in WarningKind]?: Level } = {
  sender_suspicious: 'ENVELOPE',
  reply_to_differs: 'HEADERS',
  duplicate_header: 'HEADERS',
}

/** Whoever cannot see the message where it went is not told which one it is there. */
function relocated(relocation: Relocation, targetLevel: Level = 'NONE'): Cut<Relocation> {
  if (relocation.created === undefined || atLeast(targetLevel, 'METADATA')) return { result: relocation, redacted: [] }
  return { result: { ...relocation, created: undefined }, redacted: ['created'] }
}
