/**
 * Gmail's history, looked at before it is believed.
 *
 * INVARIANT: an answer of another shape than is documented is a `Failure`, never a value of the wrong type.
 */
import { unreadable } from '../failures.ts'

export interface HistoryEvent {
  readonly id: string
  readonly kind: 'came' | 'went' | 'got' | 'lost'
  /** Those that it got or lost. */
  readonly labels: readonly string[]
  /** Those that it is said to have. */
  readonly had: readonly string[]
}

export interface HistoryPage {
  /** Where the history of the account is now. */
  readonly upTo: string
  readonly events: readonly HistoryEvent[]
  readonly next: string | undefined
}

const KINDS = [
  ['messagesAdded', 'came'],
  ['messagesDeleted', 'went'],
  ['labelsAdded', 'got'],
  ['labelsRemoved', 'lost'],
] as const

export function historyPageIn(answer: unknown): HistoryPage {
  const { history, nextPageToken } = fieldsOf(answer)
  const records = listOf(history).map(fieldsOf)
  const events = records.flatMap((record) =>
    KINDS.flatMap(([name, kind]) => listOf(record[name]).map((event) => eventOf(kind, fieldsOf(event)))),
  )
  return { upTo: historyIdIn(answer), events, next: typeof nextPageToken === 'string' ? nextPageToken : undefined }
}

/** A number, which Google writes as text. */
export function historyIdIn(answer: unknown): string {
  const { historyId } = fieldsOf(answer)
  const id = typeof historyId === 'number' ? String(historyId) : historyId
  if (typeof id === 'string' && /^\d{1,40}$/.test(id)) return id
  throw unreadable()
}

function eventOf(kind: HistoryEvent['kind'], { message, labelIds }: Fields): HistoryEvent {
  const { id, labelIds: had } = fieldsOf(message)
  if (typeof id !== 'string' || id === '') throw unreadable()
  return { id, kind, labels: textsOf(labelIds), had: textsOf(had) }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw unreadable()
}

/** What is empty is left out by Google. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw unreadable()
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string')
}
