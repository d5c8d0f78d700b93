/**
 * What a query means.
 *
 * INVARIANT: every other reader of queries finds what `matches` finds, or more and asks it. A phrase stands within one
 * field; letter case of flags does not matter; what is not known of a message does not match. Places are settled before.
 */
import { attachmentsOf } from '../mime/bodies.ts'
import { allFields, decodeUnstructured, firstField, type HeaderField } from '../mime/header.ts'
import type { Part } from '../mime/part.ts'
import type { Query, WordField, WordsTerm } from './query.ts'
import { foldWords, patternOf, wordsIn } from './words.ts'

export interface Searchable {
  /** The values of all fields of that name, decoded, with a blank between them. */
  readonly from: string
  readonly to: string
  readonly cc: string
  readonly bcc: string
  readonly subject: string
  /** The names of all attachments, with a blank between them. */
  readonly filenames: string
  /** The visible text; absent where it has not been read. */
  readonly body?: string
  readonly attachmentTexts?: readonly string[]
  /** What a person may not see of the body, and of each attachment. */
  readonly uncertain?: string
  readonly uncertainAttachments?: readonly string[]
  readonly flags: readonly string[]
  readonly size: number
  /** INTERNALDATE in whole seconds since 1970. */
  readonly received: number
  /** Without angle brackets. */
  readonly messageId?: string
  readonly hasAttachment: boolean
}

/** What has to be fetched of a message, beyond flags, size and date. */
export interface QueryNeeds {
  readonly header: boolean
  readonly structure: boolean
  readonly text: boolean
}

type Test = (message: Reading) => boolean

/** A query is asked of many messages; making it ready costs more than asking. */
const READY = new WeakMap<Query, Test>()

export function matches(query: Query, message: Searchable): boolean {
  return (READY.get(query) ?? madeReady(query))(new Reading(message))
}

function madeReady(query: Query): Test {
  const test = testOf(query)
  READY.set(query, test)
  return test
}

function testOf(query: Query): Test {
  switch (query.kind) {
    case 'all':
      return () => true
    case 'none':
      return () => false
    case 'and': {
      const tests = query.of.map(testOf)
      return (message) => tests.every((test) => test(message))
    }
    case 'or': {
      const tests = query.of.map(testOf)
      return (message) => tests.some((test) => test(message))
    }
    case 'not': {
      const test = testOf(query.of)
      return (message) => !test(message)
    }
    case 'words':
      return wordsTest(query)
    case 'in':
    case 'label':
      throw new Error(`${query.kind}: must be settled before a message is asked`)
    default:
      return ({ message }) => holds(query, message)
  }
}

type Plain = Extract<Query, { readonly kind: 'attachment' | 'uncertain' | 'flag' | 'received' | 'size' | 'message_id' }>

function holds(query: Plain, message: Searchable): boolean {
  switch (query.kind) {
    case 'attachment':
      return message.hasAttachment
    case 'uncertain':
      return (message.uncertain ?? '') !== '' || (query.where === 'any' && isSome(message.uncertainAttachments))
    case 'flag': {
      const wanted = query.flag.toLowerCase()
      return message.flags.some((flag) => flag.toLowerCase() === wanted)
    }
    case 'received':
      return message.received >= (query.from ?? -Infinity) && message.received < (query.before ?? Infinity)
    case 'size':
      return message.size > (query.over ?? -Infinity) && message.size < (query.under ?? Infinity)
    case 'message_id':
      return message.messageId === query.id
  }
}

function isSome(texts: readonly string[] = []): boolean {
  return texts.some((text) => text !== '')
}

const FIELDS_OF_ANY = ['from', 'to', 'cc', 'bcc', 'subject', 'filename', 'body'] as const

function wordsTest({ field, pieces, open, uncertain: isUncertain }: WordsTerm): Test {
  const uncertain = isUncertain === true
  const pattern = patternOf(pieces, open)
  const wanted = { pieces, run: ` ${pattern.words.join(' ')}${pattern.open ? '' : ' '}` }
  if (field === 'body') {
    return (message) => message.field(field).has(wanted) || (uncertain && message.uncertain().has(wanted))
  }
  if (field !== 'any') return (message) => message.field(field).has(wanted)
  return (message) =>
    FIELDS_OF_ANY.some((each) => message.field(each).has(wanted)) ||
    message.attachments().some((text) => text.has(wanted)) ||
    (uncertain && [message.uncertain(), ...message.uncertainAttachments()].some((text) => text.has(wanted)))
}

interface Wanted {
  readonly pieces: readonly string[]
  /** The words that follow each other, each between blanks. */
  readonly run: string
}

/** One text and its words, worked out when they are first needed. */
class Words {
  readonly #text: string
  #folded: string | undefined
  #words: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  has({ pieces, run }: Wanted): boolean {
    if (this.#text === '') return false
    // Pieces stand in the text as they are, so most texts need no splitting. No word holds a blank.
    this.#folded ??= foldWords(this.#text)
    for (const piece of pieces) if (!this.#folded.includes(piece)) return false
    this.#words ??= ` ${wordsIn(this.#text).join(' ')} `
    return this.#words.includes(run)
  }
}

class Reading {
  readonly message: Searchable
  readonly #fields = new Map<WordField, Words>()
  #attachments: readonly Words[] | undefined
  #uncertain: Words | undefined
  #uncertainAttachments: readonly Words[] | undefined

  constructor(message: Searchable) {
    this.message = message
  }

  field(name: Exclude<WordField, 'any'>): Words {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const words = new Words((name === 'filename' ? this.message.filenames : this.message[name]) ?? '')
    this.#fields.set(name, words)
    return words
  }

  attachments(): readonly Words[] {
    this.#attachments ??= (this.message.attachmentTexts ?? []).map((text) => new Words(text))
    return this.#attachments
  }

  uncertain(): Words {
    this.#uncertain ??= new Words(this.message.uncertain ?? '')
    return this.#uncertain
  }

  uncertainAttachments(): readonly Words[] {
    this.#uncertainAttachments ??= (this.message.uncertainAttachments ?? []).map((text) => new Words(text))
    return this.#uncertainAttachments
  }
}

const NOTHING: QueryNeeds = { header: false, structure: false, text: false }

export function needsOfQuery(query: Query): QueryNeeds {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.map(needsOfQuery).reduce(both, NOTHING)
    case 'not':
      return needsOfQuery(query.of)
    case 'words':
      return needsOfField(query.field)
    case 'attachment':
      return { ...NOTHING, structure: true }
    case 'uncertain':
      return { ...NOTHING, text: true }
    case 'message_id':
      return { ...NOTHING, header: true }
    default:
      return NOTHING
  }
}

function needsOfField(field: WordField): QueryNeeds {
  if (field === 'any') return { header: true, structure: true, text: true }
  if (field === 'body') return { ...NOTHING, text: true }
  return field === 'filename' ? { ...NOTHING, structure: true } : { ...NOTHING, header: true }
}

function both(a: QueryNeeds, b: QueryNeeds): QueryNeeds {
  return { header: a.header || b.header, structure: a.structure || b.structure, text: a.text || b.text }
}

export interface SearchEvidence {
  readonly header: readonly HeaderField[]
  /** Fields may be missing: then nothing is found in the header. */
  readonly headerCut: boolean
  readonly structure?: Part | undefined
  readonly flags: readonly string[]
  readonly size: number
  readonly received: number
}

/** What was read of a message. */
export interface SearchableTexts {
  readonly body: string
  readonly attachments: readonly string[]
  readonly uncertain?: string
  readonly uncertainAttachments?: readonly string[]
}

export function searchableFrom(
  { header, headerCut, structure, flags, size, received }: SearchEvidence,
  texts?: SearchableTexts,
): Searchable {
  const known = headerCut ? [] : header
  const attachments = structure === undefined ? [] : attachmentsOf(structure)
  const messageId = messageIdIn(known)
  return {
    from: fieldText(known, 'from'),
    to: fieldText(known, 'to'),
    cc: fieldText(known, 'cc'),
    bcc: fieldText(known, 'bcc'),
    subject: fieldText(known, 'subject'),
    filenames: attachments.flatMap(({ filename }) => filename ?? []).join(' '),
    hasAttachment: attachments.length > 0,
    flags,
    size,
    received,
    ...(messageId !== undefined && { messageId }),
    ...(texts !== undefined && textFields(texts)),
  }
}

function textFields({ body, attachments, uncertain, uncertainAttachments }: SearchableTexts): Partial<Searchable> {
  return {
    body,
    attachmentTexts: attachments,
    ...(uncertain !== undefined && { uncertain }),
    ...(uncertainAttachments !== undefined && { uncertainAttachments }),
  }
}

function fieldText(header: readonly HeaderField[], name: string): string {
  return allFields(header, name).map(decodeUnstructured).join(' ')
}

/** What stands between the first angle brackets of the first such field, or all of it where there are none. */
export function messageIdIn(header: readonly HeaderField[]): string | undefined {
  const value = firstField(header, 'message-id')?.trim()
  return value === undefined ? undefined : (/<([^<>]*)>/.exec(value)?.[1] ?? value)
}
