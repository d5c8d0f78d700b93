/**
 * What commands are made of.
 *
 * INVARIANT: a command is made of pieces, and a string from outside can only become a `text` piece, which reaches the
 * wire as a quoted string that needs no escaping or as a literal (`encode.ts`). CR, LF and NUL never leave in one.
 */
import { Failure } from '../../../core/failure.ts'

const KEYWORDS = [
  ...['LIST', 'EXAMINE', 'SELECT', 'NOOP', 'LOGOUT', 'APPEND', 'UID', 'FETCH', 'STORE', 'COPY', 'MOVE', 'EXPUNGE'],
  ...['SEARCH', 'SORT', 'CHARSET', 'UTF-8', 'US-ASCII', 'ARRIVAL', 'ALL', 'TEXT', 'FROM', 'TO', 'SUBJECT', 'UNSEEN'],
  ...['SINCE', 'BEFORE', 'FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'BODYSTRUCTURE', '+FLAGS.SILENT', '-FLAGS.SILENT'],
  ...['RETURN', 'SPECIAL-USE', 'CHILDREN', 'OR', 'STATUS', 'MESSAGES', 'FLAGGED', 'UNFLAGGED', 'LARGER', 'SMALLER'],
  ...['UNDELETED', 'UIDNEXT', 'UIDVALIDITY', 'HIGHESTMODSEQ', 'UNSELECT', 'ENABLE', 'QRESYNC', 'CHANGEDSINCE', 'ID'],
  ...[
    'THREADID',
    'X-GM-THRID',
    'NOT',
    'BODY',
    'CC',
    'BCC',
    'HEADER',
    'KEYWORD',
    'SEEN',
    'ANSWERED',
    'DRAFT',
    'DELETED',
  ],
] as const

export type Keyword = (typeof KEYWORDS)[number]

interface Bare {
  readonly kind: 'bare'
  readonly wire: string
}

interface Text {
  readonly kind: 'text'
  readonly bytes: Uint8Array
}

interface Verbatim {
  readonly kind: 'literal'
  readonly bytes: Uint8Array
}

export type Piece = Bare | Text | Verbatim | readonly Piece[]

const SYSTEM_FLAGS = new Set(['\\Seen', '\\Answered', '\\Flagged', '\\Draft', '\\Deleted'])
const KEYWORD_FLAG = /^[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]{1,200}$/
const PART_ID = /^[1-9][0-9]{0,5}(?:\.[1-9][0-9]{0,5}){0,200}(?:\.TEXT)?$/
const MAX_NUMBER = 0xffff_ffff
const SET = /^[0-9,:]+$/
const FIELD_NAME = /^[\w!#$&'+.^`|~-]{1,100}$/

export function keyword(word: Keyword): Piece {
  return bare(word)
}

export function keywords(...words: readonly Keyword[]): Piece[] {
  return words.map(keyword)
}

/** A uid set as `sequence-set.ts` makes them. */
export function uidSet(set: string): Piece {
  if (!SET.test(set)) throw new Error('not a uid set')
  return bare(set)
}

/** A count of bytes; the largest that can be written where it is larger still. */
export function size(bytes: number): Piece {
  if (!Number.isInteger(bytes) || bytes < 0) throw new Error('not a count of bytes')
  return bare(`${Math.min(bytes, MAX_NUMBER)}`)
}

/** 64 bits in decimal, as the server wrote them: never a number of ours. */
export function modseq(digits: string): Piece {
  if (!isModseq(digits)) throw new Error('not a modseq')
  return bare(digits)
}

export function isModseq(digits: string | undefined): digits is string {
  return digits !== undefined && /^[1-9][0-9]{0,19}$/.test(digits)
}

/** The name of a header field, as what is searched. */
export function fieldName(name: string): Piece {
  mustBeFields([name])
  return text(name)
}

/** Text from outside. */
export function text(value: string): Piece {
  return { kind: 'text', bytes: Buffer.from(oneLine(value)) }
}

/** Text that is bytes already, one character each. */
export function latin1Text(value: string): Piece {
  return { kind: 'text', bytes: Buffer.from(oneLine(value), 'latin1') }
}

function oneLine(value: string): string {
  if (!/[\r\n\0]/.test(value)) return value
  throw new Failure('invalid_input', 'line breaks and NUL are not allowed in mailbox names and search terms')
}

/** A whole message. */
export function message(bytes: Uint8Array): Piece {
  if (bytes.includes(0)) throw new Failure('invalid_input', 'a message with NUL in it cannot be stored over IMAP')
  return { kind: 'literal', bytes }
}

export function flag(name: string): Piece {
  const system = [...SYSTEM_FLAGS].find((known) => known.toLowerCase() === name.toLowerCase())
  if (system !== undefined) return bare(system)
  if (KEYWORD_FLAG.test(name)) return bare(name)
  throw new Failure('invalid_input', 'a flag is \\Seen, \\Answered, \\Flagged, \\Draft, \\Deleted or one plain word')
}

/** What can be asked of a message beside its parts; `''` is all of it. */
export type Section = '' | 'TEXT' | 'HEADER' | typeof LISTED_FIELDS

/** The fields that listings show. */
export const LISTED_FIELDS =
  'HEADER.FIELDS (DATE FROM TO CC SUBJECT MESSAGE-ID CONTENT-TYPE CONTENT-TRANSFER-ENCODING MIME-VERSION REPLY-TO SENDER LIST-ID REFERENCES IN-REPLY-TO)'

/** `BODY.PEEK[…]<0.n>`: never sets `\Seen`, never more than `maxBytes`. */
export function peek(section: Section, maxBytes: number): Piece {
  return peekAt(section, maxBytes)
}

/** The same of some header fields, by their names. */
export function peekFields(names: readonly string[], maxBytes: number): Piece {
  mustBeFields(names)
  return peekAt(`HEADER.FIELDS (${names.join(' ').toUpperCase()})`, maxBytes)
}

function mustBeFields(names: readonly string[]): void {
  if (names.every((name) => FIELD_NAME.test(name))) return
  throw new Failure('invalid_input', 'the name of a header field is one plain word')
}

/** The same of a part, by its id. */
export function peekPart(id: string, maxBytes: number, from = 0): Piece {
  if (!PART_ID.test(id)) throw new Failure('invalid_input', 'a part id is numbers with dots, as in 1.2')
  return peekAt(id, maxBytes, from)
}

function peekAt(section: string, maxBytes: number, from = 0): Piece {
  return bare(`BODY.PEEK[${section}]<${from}.${Math.min(Math.max(Math.trunc(maxBytes), 1), MAX_NUMBER)}>`)
}

/** `YYYY-MM-DD` as IMAP writes a day. */
export function day(iso: string): Piece {
  const [, year, month, date] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(iso) ?? []
  const name = MONTHS[Number(month) - 1]
  if (name === undefined) throw new Failure('invalid_input', 'a day is written YYYY-MM-DD')
  return bare(`${Number(date)}-${name}-${year}`)
}

/** Seconds since 1970 as INTERNALDATE is written. */
export function dateTime(seconds: number): Piece {
  const [iso = '', clock = ''] = new Date(seconds * 1000).toISOString().split(/[T.]/)
  const [year = '', month = '', date = ''] = iso.split('-')
  return bare(`"${date}-${MONTHS[Number(month) - 1]}-${year} ${clock} +0000"`)
}

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

function bare(wire: string): Bare {
  return { kind: 'bare', wire }
}
