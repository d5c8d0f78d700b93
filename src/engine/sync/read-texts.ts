/**
 * The words of messages: the visible text of their bodies and of the documents attached to them.
 *
 * INVARIANT: the same whether they are read for a mirror or of one message that was just found. What cannot be read counts
 * as empty; a message is never left out for it.
 */
import type { Readable } from '../../core/content.ts'
import { Failure } from '../../core/failure.ts'
import type { Opened, Part, PartBytes } from '../../core/message.ts'
import { decodeUnstructured, firstField, type HeaderField } from '../../core/mime/header.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import type { MessageText } from '../../core/mirror/state.ts'
import { cut } from '../../core/text/cut.ts'
import { cleanText } from '../../core/text/plain.ts'
import { foldWhite } from '../../core/text/white.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import type { Log } from '../../ports/log.ts'
import type { TextBytes, TextWanted } from '../../ports/mail-feed.ts'
import type { MailboxAt, MailSource } from '../../ports/mail-source.ts'
import { encodedBody, isShown, shownBody } from './visible-body.ts'
import { type Document, textWanted, type WantedParts, wantedParts } from './wanted-parts.ts'

const TEXT_CHARS = 65_536
const SNIPPET_CHARS = 200
/** Folding whitespace shortens: more is looked at than is shown. */
const SNIPPET_FROM_CHARS = 2000
const LONGEST_SUBJECT = 4000

export interface TextsParts {
  readonly content: Pick<ContentReader, 'texts' | 'document'>
  readonly log?: Log
}

/** A message whose text is to be read. */
export interface Unread {
  readonly uid: number
  readonly wanted: WantedParts
  /** It tells what of a page is hidden. */
  subject(): string | undefined
}

type Fetch = (wanted: readonly TextWanted[]) => Promise<readonly TextBytes[]>

/** The texts of messages, in their order. */
export async function readTexts(
  messages: readonly Unread[],
  fetch: Fetch,
  parts: TextsParts,
  signal: AbortSignal,
  /** Called when all that was fetched is with those who read it. */
  onHandedOver?: () => void,
): Promise<readonly MessageText[]> {
  const reading = new Reading(parts, signal)
  const first = await fetched(
    fetch,
    messages.map(({ uid, wanted }) => ({ uid, parts: wanted.first })),
  )
  const read = Promise.all([
    readBodies(messages, first, fetch, reading),
    Promise.all(messages.map((message) => readDocuments(message, first, reading))),
  ])
  onHandedOver?.()
  const [bodies, attachments] = await read
  return messages.map(({ uid }, at) => {
    const body = bodies[at] ?? ''
    return { uid, body, attachments: attachments[at] ?? [], snippet: snippetOf(body) }
  })
}

/** The text of the body of one message where it is now; empty where it is no longer there. */
export async function readBodyText(
  account: { readonly source: Pick<MailSource, 'open' | 'parts'> },
  message: MailboxAt & { readonly uid: number },
  { content, signal }: TextsParts & { readonly signal: AbortSignal },
): Promise<string> {
  try {
    const { structure, header } = await account.source.open(message, message.uid, signal)
    const wanted = wantedParts(structure, { documents: false })
    const unread = { uid: message.uid, wanted, subject: () => subjectIn(header) }
    const [text] = await readTexts([unread], fetchFrom(account, message, message.uid, signal), { content }, signal)
    return text?.body ?? ''
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return ''
    throw error
  }
}

/** The text of one message where it is now, by which it would be found in a mirror. */
export async function liveText(
  account: { readonly source: Pick<MailSource, 'parts'> },
  at: MailboxAt,
  { uid, structure, header }: Pick<Opened, 'uid' | 'structure' | 'header'>,
  parts: TextsParts,
  signal: AbortSignal,
): Promise<Pick<MessageText, 'body' | 'attachments'>> {
  const message = { uid, wanted: wantedParts(structure), subject: () => subjectIn(header) }
  const [text] = await readTexts([message], fetchFrom(account, at, uid, signal), parts, signal)
  return { body: text?.body ?? '', attachments: text?.attachments ?? [] }
}

function fetchFrom(
  { source }: { readonly source: Pick<MailSource, 'parts'> },
  at: MailboxAt,
  uid: number,
  signal: AbortSignal,
): Fetch {
  return async ([wanted]) => {
    const found = await source.parts(at, uid, wanted?.parts ?? [], signal)
    return found.map((part) => ({ uid, ...part }))
  }
}

/** As it is shown of a message that is read. */
export function subjectIn(header: readonly HeaderField[]): string | undefined {
  const subject = firstField(header, 'subject')
  if (subject === undefined) return undefined
  const { text } = cleanText(decodeUnstructured(subject))
  return cut(foldWhite(text).trim(), LONGEST_SUBJECT).text
}

type Downloaded = (uid: number, part: Part) => PartBytes | undefined

async function fetched(fetch: Fetch, all: readonly TextWanted[]): Promise<Downloaded> {
  const wanted = all.filter(({ parts }) => parts.length > 0)
  const found = wanted.length === 0 ? [] : await fetch(wanted)
  const byPlace = new Map(found.map((part) => [`${part.uid} ${part.id}`, part]))
  return (uid, { id }) => byPlace.get(`${uid} ${id}`)
}

/** Plain texts first; then the pages of those messages in whose plain text there is nothing. */
async function readBodies(
  messages: readonly Unread[],
  first: Downloaded,
  fetch: Fetch,
  reading: Reading,
): Promise<readonly string[]> {
  const begun = await reading.bodies(messages, ({ wanted }) => wanted.plain ?? wanted.html, first)
  const pages = messages.map(({ wanted }, at) =>
    wanted.plain !== undefined && !isShown(begun[at]) ? wanted.html : undefined,
  )
  const second = await fetched(
    fetch,
    messages.map(({ uid }, at) => ({ uid, parts: pages[at] === undefined ? [] : [textWanted(pages[at])] })),
  )
  const html = await reading.bodies(messages, (_message, at) => pages[at], second)
  return messages.map((_message, at) => shownBody(begun[at], html[at])?.text ?? '')
}

async function readDocuments({ uid, wanted }: Unread, first: Downloaded, reading: Reading): Promise<readonly string[]> {
  const texts = await Promise.all(
    wanted.documents.map((document) => reading.document(uid, document, first(uid, document.part))),
  )
  return texts.filter((text) => text !== '')
}

function snippetOf(body: string): string {
  const start = body.slice(0, SNIPPET_FROM_CHARS).replace(/[\ud800-\udbff]$/, '')
  return cut(foldWhite(start).trim(), SNIPPET_CHARS).text
}

/** Reads pieces of mail, and passes over those that cannot be read. */
class Reading {
  readonly #parts: TextsParts
  readonly #signal: AbortSignal

  constructor(parts: TextsParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  /** Of each message the part that is chosen, all in one go. */
  async bodies(
    messages: readonly Unread[],
    choose: (message: Unread, at: number) => Part | undefined,
    downloaded: Downloaded,
  ): Promise<readonly (Readable | undefined)[]> {
    const places: number[] = []
    const encoded = messages.flatMap((message, at) => {
      const part = choose(message, at)
      const bytes = part && downloaded(message.uid, part)
      if (part === undefined || bytes === undefined) return []
      places.push(at)
      return [encodedBody(part, bytes, part.type === 'text/html' ? message.subject() : undefined)]
    })
    const texts: (Readable | undefined)[] = messages.map(() => undefined)
    if (encoded.length === 0) return texts
    const read = await this.#parts.content.texts(encoded, TEXT_CHARS, this.#signal)
    for (const [index, at] of places.entries()) {
      const text = read[index]
      if (text instanceof Failure) this.#passOver(text, messages[at]?.uid)
      else texts[at] = text
    }
    return texts
  }

  /** One that is longer than it was said to be is no document that could be read. */
  async document(uid: number, { part, kind }: Document, downloaded: PartBytes | undefined): Promise<string> {
    if (!downloaded?.complete) return ''
    const { content } = this.#parts
    try {
      // What is text says itself how it is written.
      if (kind === 'text' || kind === 'html') {
        const [text] = await content.texts([encodedBody(part, downloaded, undefined)], TEXT_CHARS, this.#signal)
        if (text instanceof Failure) throw text
        return text?.text ?? ''
      }
      const bytes = decodeTransfer(downloaded.bytes, part.encoding)
      return (await content.document(kind, bytes, TEXT_CHARS, this.#signal)).text
    } catch (error) {
      this.#passOver(error, uid)
      return ''
    }
  }

  /** What says nothing about the mail (we are stopping, too much is going on) must not make its text empty. */
  #passOver(error: unknown, uid: number | undefined): void {
    const isOurs = !(error instanceof Failure) || error.code === 'unavailable' || error.code === 'cancelled'
    if (isOurs || this.#signal.aborted) throw error
    this.#parts.log?.debug({ err: error, uid }, 'a part of a message could not be read; its words are not searched')
  }
}
