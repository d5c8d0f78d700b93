/**
 * The words of messages: the visible text of their bodies and of the documents attached to them, and apart from it what a person
 * may not see of both.
 *
 * INVARIANT: the same whether they are read for a mirror or of one message that was just found. What cannot be read counts
 * as empty; a message is never left out for it.
 */
import { MOST_ENCODED_TEXT, MOST_SEARCHED_CHARS, type Readable } from '../../core/content.ts'
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
import { encodedBody, joinedTexts, shownBody } from './visible-body.ts'
import { type Document, versions, type WantedParts, wantedParts } from './wanted-parts.ts'

/** Characters of the text of one document. */
const DOCUMENT_CHARS = 65_536
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

/** Visible text, whether that is all of it, and what a person may not see. */
export type BodyText = Pick<Readable, 'text' | 'uncertain' | 'truncated'>

const NO_BODY: BodyText = { text: '', uncertain: '', truncated: false }

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
    const { text: body, uncertain, truncated: partial } = bodies[at] ?? NO_BODY
    const documents = attachments[at] ?? []
    const uncertainAttachments = present(documents.map((document) => document.uncertain))
    return {
      uid,
      body,
      attachments: present(documents.map(({ text }) => text)),
      snippet: snippetOf(body),
      ...(uncertain !== '' && { uncertain }),
      ...(uncertainAttachments.length > 0 && { uncertainAttachments }),
      ...(partial && { partial }),
    }
  })
}

function present(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== '')
}

/** The text of the body of one message where it is now, of about so many bytes; empty where it is no longer there. */
export async function readBodyText(
  account: { readonly source: Pick<MailSource, 'open' | 'parts'> },
  message: MailboxAt & { readonly uid: number },
  { content, signal }: TextsParts & { readonly signal: AbortSignal },
): Promise<BodyText & { readonly bytes: number }> {
  try {
    const { structure, header } = await account.source.open(message, message.uid, signal)
    const wanted = wantedParts(structure, { documents: false })
    const unread = { uid: message.uid, wanted, subject: () => subjectIn(header) }
    const [text] = await readTexts([unread], fetchFrom(account, message, message.uid, signal), { content }, signal)
    const bytes = Math.min(wanted.bytes, MOST_ENCODED_TEXT)
    const { body = '', uncertain = '', partial = false } = text ?? {}
    return { text: body, uncertain, truncated: partial, bytes }
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return { ...NO_BODY, bytes: 0 }
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
): Promise<Omit<MessageText, 'uid' | 'snippet'>> {
  const message = { uid, wanted: wantedParts(structure), subject: () => subjectIn(header) }
  const [text] = await readTexts([message], fetchFrom(account, at, uid, signal), parts, signal)
  if (text === undefined) return { body: '', attachments: [], partial: false }
  const { uid: _, snippet: __, ...rest } = text
  return { partial: false, ...rest }
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
  const byPlace = new Map(found.map((part) => [placeOf(part.uid, part), part]))
  return (uid, part) => byPlace.get(placeOf(uid, part))
}

function placeOf(uid: number, { id }: { readonly id: string }): string {
  return `${uid} ${id}`
}

async function readBodies(
  messages: readonly Unread[],
  first: Downloaded,
  fetch: Fetch,
  reading: Reading,
): Promise<readonly BodyText[]> {
  const read = await reading.bodies(messages, await withRests(messages, first, fetch))
  return messages.map(({ uid, wanted }) => {
    const joined = (parts: readonly Part[]): Readable | undefined =>
      joinedTexts(parts.flatMap((part) => read.get(placeOf(uid, part)) ?? []))
    return searchedText(wanted.bodies.flatMap(({ plain, html }) => shownBody(joined(plain), joined(html), '') ?? []))
  })
}

/** A part that goes on where it should have ended by its size is fetched again, with all the room there is. */
async function withRests(messages: readonly Unread[], downloaded: Downloaded, fetch: Fetch): Promise<Downloaded> {
  const longer = messages.map(({ uid, wanted }) => ({
    uid,
    parts: wanted.bodies.flatMap(versions).flatMap((part) => {
      const its = downloaded(uid, part)
      const goesOn = its !== undefined && !its.complete && its.bytes.length < MOST_ENCODED_TEXT
      return goesOn && part.size <= its.bytes.length ? [{ id: part.id, maxBytes: MOST_ENCODED_TEXT }] : []
    }),
  }))
  if (longer.every(({ parts }) => parts.length === 0)) return downloaded
  const rests = await fetched(fetch, longer)
  return (uid, part) => rests(uid, part) ?? downloaded(uid, part)
}

function searchedText(texts: readonly Readable[]): BodyText {
  const { text, uncertain, truncated } = joinedTexts(texts) ?? NO_BODY
  const searched = cut(text, MOST_SEARCHED_CHARS)
  const unsure = cut(uncertain, MOST_SEARCHED_CHARS)
  return {
    text: searched.text,
    uncertain: unsure.text,
    truncated: truncated || searched.truncated || unsure.truncated,
  }
}

type DocumentText = Pick<Readable, 'text' | 'uncertain'>

const NO_DOCUMENT: DocumentText = { text: '', uncertain: '' }

function readDocuments({ uid, wanted }: Unread, first: Downloaded, reading: Reading): Promise<readonly DocumentText[]> {
  return Promise.all(wanted.documents.map((document) => reading.document(uid, document, first(uid, document.part))))
}

function snippetOf(body: string): string {
  const start = body.slice(0, SNIPPET_FROM_CHARS).replace(/[\ud800-\udbff]$/, '')
  return cut(foldWhite(start).trim(), SNIPPET_CHARS).text
}

/** A text that is there and could not be read. */
const UNREAD: Readable = { text: '', uncertain: '', truncated: true, warnings: [] }

/** Reads pieces of mail, and passes over those that cannot be read. */
class Reading {
  readonly #parts: TextsParts
  readonly #signal: AbortSignal

  constructor(parts: TextsParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  /** The parts of all texts of all messages by their places, all in one go. */
  async bodies(messages: readonly Unread[], downloaded: Downloaded): Promise<ReadonlyMap<string, Readable>> {
    const read = new Map<string, Readable>()
    const places: { readonly uid: number; readonly place: string }[] = []
    const encoded = messages.flatMap((message) =>
      message.wanted.bodies.flatMap(versions).flatMap((part) => {
        const bytes = downloaded(message.uid, part)
        const place = placeOf(message.uid, part)
        if (bytes === undefined) {
          if (part.size > 0) read.set(place, UNREAD)
          return []
        }
        places.push({ uid: message.uid, place })
        return [encodedBody(part, bytes, part.type === 'text/html' ? message.subject() : undefined)]
      }),
    )
    const texts =
      encoded.length === 0 ? [] : await this.#parts.content.texts(encoded, MOST_SEARCHED_CHARS, this.#signal)
    for (const [index, { uid, place }] of places.entries()) {
      const text = texts[index]
      if (text instanceof Failure) this.#passOver(text, uid)
      read.set(place, text === undefined || text instanceof Failure ? UNREAD : text)
    }
    return read
  }

  /** One that is longer than it was said to be is no document that could be read. */
  async document(uid: number, { part, kind }: Document, downloaded: PartBytes | undefined): Promise<DocumentText> {
    if (!downloaded?.complete) return NO_DOCUMENT
    const { content } = this.#parts
    try {
      // What is text says itself how it is written.
      if (kind === 'text' || kind === 'html') {
        const [text] = await content.texts([encodedBody(part, downloaded, undefined)], DOCUMENT_CHARS, this.#signal)
        if (text instanceof Failure) throw text
        return text ?? NO_DOCUMENT
      }
      const bytes = decodeTransfer(downloaded.bytes, part.encoding)
      return await content.document(kind, bytes, DOCUMENT_CHARS, this.#signal)
    } catch (error) {
      this.#passOver(error, uid)
      return NO_DOCUMENT
    }
  }

  /** What says nothing about the mail (we are stopping, too much is going on) must not make its text empty. */
  #passOver(error: unknown, uid: number | undefined): void {
    const isOurs = !(error instanceof Failure) || error.code === 'unavailable' || error.code === 'cancelled'
    if (isOurs || this.#signal.aborted) throw error
    this.#parts.log?.debug({ err: error, uid }, 'a part of a message could not be read; its words are not searched')
  }
}
