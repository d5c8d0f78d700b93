/**
 * What Gmail answers, looked at before it is believed.
 *
 * INVARIANT: an answer of another shape than is documented is a `Failure`, never a value of the wrong type.
 */
import { unreadable } from './failures.ts'
import type { Label } from './labels.ts'

export interface GmailMessage {
  readonly id: string
  readonly thread: string
  readonly labels: readonly string[]
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  readonly size: number
  /** The message itself, where it was asked for. */
  readonly raw: Uint8Array | undefined
}

export type Filed = Pick<GmailMessage, 'id' | 'labels'>

export interface ListPage {
  readonly ids: readonly string[]
  readonly next: string | undefined
}

export function labelsIn(answer: unknown): readonly Label[] {
  return listIn(answer, 'labels').map((label) => ({
    id: textIn(label, 'id'),
    name: textIn(label, 'name'),
    type: optionalText(label, 'type') ?? 'user',
  }))
}

export function totalIn(answer: unknown): number {
  return numberIn(answer, 'messagesTotal')
}

export function pageIn(answer: unknown): ListPage {
  return {
    ids: listIn(answer, 'messages').map((one) => textIn(one, 'id')),
    next: optionalText(answer, 'nextPageToken'),
  }
}

export function messageIn(answer: unknown): GmailMessage {
  const raw = optionalText(answer, 'raw')
  const bytes = raw === undefined ? undefined : bytesOf(raw)
  return {
    id: textIn(answer, 'id'),
    thread: textIn(answer, 'threadId'),
    labels: labelIdsIn(answer),
    received: Math.floor(numberIn(answer, 'internalDate') / 1000),
    size: bytes?.length ?? numberIn(answer, 'sizeEstimate'),
    raw: bytes,
  }
}

/** No `Buffer`: a slice of one keeps the whole alive. */
function bytesOf(raw: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(raw, 'base64url')
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** A message without any label has no list of them. */
export function labelIdsIn(answer: unknown): readonly string[] {
  return listIn(answer, 'labelIds').map((label) => {
    if (typeof label === 'string') return label
    throw unreadable()
  })
}

export function idIn(answer: unknown): string {
  return textIn(answer, 'id')
}

/** The message that a draft holds. */
export function draftMessageIn(answer: unknown): Filed {
  return filedIn(fieldsOf(answer)['message'])
}

/** The messages of a thread, oldest first, each with its labels. */
export function threadIn(answer: unknown): readonly Filed[] {
  return listIn(answer, 'messages').map(filedIn)
}

export function filedIn(answer: unknown): Filed {
  return { id: textIn(answer, 'id'), labels: labelIdsIn(answer) }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw unreadable()
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldsOf(value)[name] ?? []
  if (Array.isArray(list)) return list
  throw unreadable()
}

function optionalText(value: unknown, name: string): string | undefined {
  const text = fieldsOf(value)[name]
  if (text === undefined || typeof text === 'string') return text
  throw unreadable()
}

function textIn(value: unknown, name: string): string {
  const text = optionalText(value, name)
  if (text === undefined || text === '') throw unreadable()
  return text
}

/** Google writes long numbers as text. */
function numberIn(value: unknown, name: string): number {
  const number = Number(fieldsOf(value)[name] ?? Number.NaN)
  if (Number.isFinite(number)) return number
  throw unreadable()
}
