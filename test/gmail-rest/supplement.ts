/**
 * What real Gmail does and the emulator (@emulators/google 0.4.1) does not, put on top of it. The emulator keeps the
 * messages, labels, threads, drafts and history; this changes what goes in and what comes out of it, no more.
 *
 * - `messages?q=`: the emulator looks for substrings in encoded headers and knows no OR, no brackets, no sizes. Here words are
 *   found as Gmail documents it: whole words, decoded, in the field that is named.
 * - `sizeEstimate` is the size of the message, not of its base64.
 * - `messages.insert` takes the time of arrival for INTERNALDATE unless `internalDateSource=dateHeader`. The emulator also takes
 *   an `internalDate` in the body, which Google does not promise; it is let through, since tests need dates of their own.
 * - `labels.list` tells no counts (only `labels.get` does), an empty `messages.list` has no `messages`, and writes answer with
 *   ids and labels only.
 * - A label that is not there is refused (400) by `messages.list`.
 * - SENT and DRAFT cannot be put on or taken off by hand (400), and a draft has no label but DRAFT.
 * - `/upload/…` with multipart/related, and `profile`.
 *
 * Missing there and not added: `/batch` (the client does not use it), 404 for a history id that is too old (make it with a
 * fault), delivery of what is sent (it is only filed under SENT, Bcc and all), scopes (403 is a fault), quotas. After 5,000
 * requests an hour the emulator refuses a token, so several stand for the one that callers hold.
 */

import { decodeCharset } from '../../src/core/mime/charset.ts'
import { type LocatedPart, parseStructure } from '../../src/core/mime/structure.ts'
import { decodeTransfer } from '../../src/core/mime/transfer.ts'
import { matches, searchableFrom } from '../../src/core/query/evaluate.ts'
import { parseQuery } from '../../src/core/query/parse.ts'
import type { Query } from '../../src/core/query/query.ts'
import { googleError } from './proxy.ts'

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly type: string
  readonly authorization: string
  readonly body: Buffer
}

export interface Answered {
  readonly status: number
  readonly text: string
}

export interface Supplement {
  answer(asked: Asked): Promise<Answered>
}

/** What the emulator's application is to us. */
export type Emulator = (request: Request) => Response | Promise<Response>

export interface Held {
  readonly id: string
  readonly threadId: string
  readonly labelIds: readonly string[]
  readonly internalDate: string
  readonly raw: string
}

export interface SupplementOptions {
  readonly emulator: Emulator
  /** Its messages, all of them. */
  readonly messages: () => readonly Held[]
  /** The ids of its labels. */
  readonly labels: () => readonly string[]
  /** Whether a caller's token is good, and those that the emulator takes instead. */
  readonly takes: (token: string) => boolean
  readonly tokens: readonly string[]
  readonly address: string
}

type Json = Record<string, unknown>

const ROOT = '/gmail/v1/users/me/'
const BY_GMAIL_ALONE = new Set(['SENT', 'DRAFT'])

export function createSupplement(options: SupplementOptions): Supplement {
  let count = 0
  const pass = async (asked: Asked): Promise<Answered> => {
    count += 1
    const response = await options.emulator(requestOf(asked, tokenFor(asked.authorization)))
    return { status: response.status, text: await response.text() }
  }
  const isGood = (authorization: string): boolean => options.takes(authorization.replace(/^Bearer /, ''))
  const tokenFor = (authorization: string): string => {
    return isGood(authorization) ? (options.tokens[Math.floor(count / 4000)] ?? '') : 'not-a-token'
  }
  return {
    answer: async (asked) => {
      const isOurs = isGood(asked.authorization)
      const path = pathOf(asked.url)
      if (isOurs && asked.method === 'GET' && path === 'profile') return profile(options, asked, pass)
      if (isOurs && asked.method === 'GET' && path === 'messages') return list(options, asked)
      const refusal = isOurs ? refusalOf(options, asked, path) : undefined
      if (refusal !== undefined) return refusal
      const { status, text } = await pass(asked.method === 'POST' ? asStored(asked, path) : asked)
      return { status, text: status === 200 ? shown(asked, path, text) : text }
    },
  }
}

function pathOf({ pathname }: URL): string {
  return pathname.replace('/upload', '').slice(ROOT.length)
}

function requestOf({ method, url, type, body }: Asked, token: string): Request {
  const target = new URL(url.pathname.replace('/upload', '') + url.search, 'http://127.0.0.1')
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type }
  return new Request(target, { method, headers, ...(body.length > 0 ? { body: new Uint8Array(body) } : {}) })
}

/** What Gmail would not do. */
function refusalOf({ messages }: SupplementOptions, { method, body }: Asked, path: string): Answered | undefined {
  const modify = /^messages\/([^/]+)\/modify$/.exec(path)
  if (method !== 'POST' || (modify === null && path !== 'messages/batchModify')) return undefined
  const change = JSON.parse(body.toString()) as { addLabelIds?: string[]; removeLabelIds?: string[] }
  const labels = [...(change.addLabelIds ?? []), ...(change.removeLabelIds ?? [])]
  const message = messages().find(({ id }) => id === modify?.[1])
  const isDraft = message?.labelIds.includes('DRAFT') === true && !labels.every((label) => label === 'TRASH')
  return isDraft || labels.some((label) => BY_GMAIL_ALONE.has(label)) ? refused(400, 'invalidArgument') : undefined
}

function refused(code: number, reason: string): Answered {
  return { status: code, text: JSON.stringify(googleError(code, reason, 'INVALID_ARGUMENT')) }
}

/** What is written, as the emulator understands it. */
function asStored(asked: Asked, path: string): Asked {
  const isUpload = asked.url.pathname.startsWith('/upload/')
  const whole = isUpload ? unwrapped(asked, path) : asked
  if (path !== 'messages' || asked.url.searchParams.get('internalDateSource') === 'dateHeader') return whole
  const body = JSON.parse(whole.body.toString()) as Json
  return { ...whole, body: Buffer.from(JSON.stringify({ ...body, internalDate: String(Date.now()) })) }
}

function unwrapped(asked: Asked, path: string): Asked {
  const boundary = /boundary="?([^";]+)/.exec(asked.type)?.[1] ?? ''
  const text = asked.body.toString('latin1')
  const [, first = '', second = ''] = text.split(`--${boundary}`)
  const resource = JSON.parse(Buffer.from(bodyIn(first), 'latin1').toString()) as Json
  const raw = Buffer.from(bodyIn(second), 'latin1').toString('base64url')
  const message = resource['message']
  const inside = typeof message === 'object' && message !== null ? message : {}
  const body = path.startsWith('drafts') ? { ...resource, message: { ...inside, raw } } : { ...resource, raw }
  return { ...asked, type: 'application/json', body: Buffer.from(JSON.stringify(body)) }
}

function bodyIn(part: string): string {
  return part.slice(part.indexOf('\r\n\r\n') + 4, -2)
}

/** What is answered, as Gmail would say it. */
function shown({ method }: Asked, path: string, text: string): string {
  const answer = text === '' ? undefined : (JSON.parse(text) as Json)
  if (answer === undefined) return text
  if (method !== 'GET') return JSON.stringify(path.startsWith('messages') ? briefly(answer) : draftBriefly(answer))
  if (path === 'labels') return JSON.stringify({ labels: (answer['labels'] as Json[]).map(withoutCounts) })
  if (/^messages\/[^/]+$/.test(path)) return JSON.stringify(sized(answer))
  return text
}

function briefly({ id, threadId, labelIds }: Json): Json {
  return { id, threadId, labelIds }
}

function draftBriefly(answer: Json): Json {
  const message = answer['message']
  return typeof message === 'object' && message !== null ? { ...answer, message: briefly(message as Json) } : answer
}

function withoutCounts({ messagesTotal: _, messagesUnread: _u, threadsTotal: _t, threadsUnread: _tu, ...label }: Json) {
  return label
}

/** The emulator measures the base64; four characters are three bytes. */
function sized(message: Json): Json {
  const encoded = Number(message['sizeEstimate'])
  return { ...message, sizeEstimate: Math.floor((encoded * 3) / 4) }
}

async function profile(
  { messages, address }: SupplementOptions,
  asked: Asked,
  pass: (asked: Asked) => Promise<Answered>,
): Promise<Answered> {
  const url = new URL(`${ROOT}history?startHistoryId=1&maxResults=1`, asked.url)
  const history = JSON.parse((await pass({ ...asked, url })).text) as Json
  const threads = new Set(messages().map(({ threadId }) => threadId))
  const { length: messagesTotal } = messages()
  const said = { emailAddress: address, messagesTotal, threadsTotal: threads.size, historyId: history['historyId'] }
  return { status: 200, text: JSON.stringify(said) }
}

function list({ messages, labels }: SupplementOptions, { url }: Asked): Answered {
  const { searchParams: asked } = url
  const wanted = asked.getAll('labelIds')
  const known = new Set(labels())
  if (!wanted.every((label) => known.has(label))) return refused(400, 'invalidArgument')
  const everywhere = asked.get('includeSpamTrash') === 'true'
  const query = parseQuery(asked.get('q') ?? '', Math.floor(Date.now() / 1000))
  const found = messages()
    .filter(({ labelIds }) => everywhere || !(labelIds.includes('TRASH') || labelIds.includes('SPAM')))
    .filter(({ labelIds }) => wanted.every((label) => labelIds.includes(label)))
    .filter((message) => query.kind === 'all' || isMeant(query, message))
    .toSorted((a, b) => Number(b.internalDate) - Number(a.internalDate))
  const offset = Number(asked.get('pageToken') ?? 0)
  const end = offset + Math.min(500, Number(asked.get('maxResults') ?? 100))
  const page = found.slice(offset, end).map(({ id, threadId }) => ({ id, threadId }))
  const said = {
    ...(page.length > 0 && { messages: page }),
    ...(end < found.length && { nextPageToken: String(end) }),
    resultSizeEstimate: found.length,
  }
  return { status: 200, text: JSON.stringify(said) }
}

const PLACES: Readonly<Record<string, string>> = {
  ...{ inbox: 'INBOX', sent: 'SENT', drafts: 'DRAFT', trash: 'TRASH', spam: 'SPAM', starred: 'STARRED' },
}

function isMeant(query: Query, message: Held): boolean {
  const bytes = Buffer.from(message.raw, 'base64url')
  const { header, root } = parseStructure(bytes)
  const received = Number(message.internalDate) / 1000
  const evidence = { header, headerCut: false, structure: root, flags: flagsOf(message), size: bytes.length, received }
  const searchable = searchableFrom(evidence, { body: textOf(bytes, root), attachments: [] })
  return matches(settled(query, message), searchable)
}

function flagsOf({ labelIds }: Held): string[] {
  return [
    ...(labelIds.includes('UNREAD') ? [] : ['\\Seen']),
    ...(labelIds.includes('STARRED') ? ['\\Flagged'] : []),
    ...(labelIds.includes('DRAFT') ? ['\\Draft'] : []),
    ...(labelIds.includes('IMPORTANT') ? ['$Important'] : []),
  ]
}

function settled(query: Query, message: Held): Query {
  if (query.kind === 'and' || query.kind === 'or') {
    return { kind: query.kind, of: query.of.map((one) => settled(one, message)) }
  }
  if (query.kind === 'not') return { kind: 'not', of: settled(query.of, message) }
  if (query.kind !== 'in') return query
  return { kind: message.labelIds.includes(PLACES[query.place.toLowerCase()] ?? '') ? 'all' : 'none' }
}

function textOf(bytes: Buffer, part: LocatedPart): string {
  const inside = part.children.map((child) => textOf(bytes, child)).join('\n')
  if (!part.type.startsWith('text/')) return inside
  const decoded = decodeTransfer(bytes.subarray(part.start, part.end), part.encoding)
  return decodeCharset(decoded, part.parameters['charset']).replaceAll(/<[^>]*>/g, ' ')
}
