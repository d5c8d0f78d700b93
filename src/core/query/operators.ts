/** The operators of the query language: what may stand behind each, and what it then means. */
import { AGE_EXAMPLES, DAY_EXAMPLES, readAge, readMoment, readSize, SIZE_EXAMPLES } from './amounts.ts'
import type { Query, WordField } from './query.ts'
import { piecesOf } from './words.ts'

/** What was written behind the colon. */
export interface Value {
  readonly text: string
  readonly quoted: boolean
}

/** What is wrong with a value and what to write instead; it never repeats the value. */
export interface Complaint {
  readonly wrong: string
}

export interface Operator {
  /** Words may end in a star, even behind their quotes. */
  readonly words: boolean
  /** A use of it, for whoever got it wrong. */
  readonly example: string
  read(value: Value, nowSeconds: number): Query | Complaint
}

export function isComplaint(read: Query | Complaint): read is Complaint {
  return 'wrong' in read
}

export const ANY_WORDS = wordsIn('any', 'invoice')

const STATES: Readonly<Record<string, Query>> = {
  read: flag('\\Seen'),
  unread: { kind: 'not', of: flag('\\Seen') },
  starred: flag('\\Flagged'),
  flagged: flag('\\Flagged'),
  answered: flag('\\Answered'),
  draft: flag('\\Draft'),
  important: flag('$Important'),
}

const after = moment('after', (at) => ({ kind: 'received', from: at }))
const before = moment('before', (at) => ({ kind: 'received', before: at }))
const larger = size('larger', (bytes) => ({ kind: 'size', over: bytes }))

export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['from', people('from')],
  ['to', people('to')],
  ['cc', people('cc')],
  ['bcc', people('bcc')],
  ['subject', wordsIn('subject', 'subject:"annual report"')],
  ['body', wordsIn('body', 'body:invoice')],
  ['filename', wordsIn('filename', 'filename:pdf')],
  ['has', oneOf('has', { attachment: { kind: 'attachment' }, uncertain: { kind: 'uncertain', where: 'any' } })],
  ['is', oneOf('is', STATES)],
  ['in', named('in:inbox', (place) => ({ kind: 'in', place }))],
  ['label', named('label:work', (label) => ({ kind: 'label', label }))],
  ['keyword', named('keyword:$Forwarded', flag)],
  ['after', after],
  ['since', after],
  ['newer', after],
  ['before', before],
  ['older', before],
  ['newer_than', age('newer_than', (at) => ({ kind: 'received', from: at }))],
  ['older_than', age('older_than', (at) => ({ kind: 'received', before: at }))],
  ['larger', larger],
  ['size', larger],
  ['smaller', size('smaller', (bytes) => ({ kind: 'size', under: bytes }))],
  ['rfc822msgid', named('rfc822msgid:abc@example.com', (id) => ({ kind: 'message_id', id: unbracketed(id) }))],
])

function flag(name: string): Query {
  return { kind: 'flag', flag: name }
}

const OPEN = /[\p{L}\p{N}\p{M}]\*$/u

function wordsIn(field: WordField, example: string): Operator {
  return {
    words: true,
    example,
    read({ text }) {
      const pieces = piecesOf(text)
      if (pieces.length === 0) return { wrong: 'there is no letter and no digit to look for; write a word' }
      return { kind: 'words', field, pieces, open: OPEN.test(text) }
    },
  }
}

/** Gmail knows who asks; here an address has to be written. */
function people(field: WordField): Operator {
  const operator = wordsIn(field, `${field}:alice@example.com`)
  return {
    ...operator,
    read(value, nowSeconds) {
      if (value.quoted || value.text.toLowerCase() !== 'me') return operator.read(value, nowSeconds)
      return { wrong: `me stands for nobody here; write an address, or ${field}:"me" for the word` }
    },
  }
}

function oneOf(name: string, known: Readonly<Record<string, Query>>): Operator {
  const all = Object.keys(known).map((value) => `${name}:${value}`)
  return {
    words: false,
    example: all[0] ?? '',
    read({ text }) {
      const value = text.toLowerCase()
      const found = Object.hasOwn(known, value) ? known[value] : undefined
      return found ?? { wrong: `there is no such ${name}: value; write ${all.join(', ')}` }
    },
  }
}

function named(example: string, make: (name: string) => Query): Operator {
  return {
    words: false,
    example,
    read: ({ text }) => (text.trim() === '' ? { wrong: `a name is missing; write ${example}` } : make(text)),
  }
}

function moment(name: string, make: (at: number) => Query): Operator {
  const example = `${name}:2024/01/31`
  return {
    words: false,
    example,
    read({ text }) {
      const at = readMoment(text)
      return at === undefined
        ? { wrong: `${name}: needs a day that there is, in UTC; write ${DAY_EXAMPLES}` }
        : make(at)
    },
  }
}

function age(name: string, make: (at: number) => Query): Operator {
  return {
    words: false,
    example: `${name}:7d`,
    read({ text }, nowSeconds) {
      const seconds = readAge(text)
      if (seconds === undefined) return { wrong: `${name}: needs a number and a unit; write ${AGE_EXAMPLES}` }
      return make(Math.floor(nowSeconds) - seconds)
    },
  }
}

function size(name: string, make: (bytes: number) => Query): Operator {
  return {
    words: false,
    example: `${name}:10M`,
    read({ text }) {
      const bytes = readSize(text)
      return bytes === undefined ? { wrong: `${name}: needs a size; write ${SIZE_EXAMPLES}` } : make(bytes)
    },
  }
}

function unbracketed(id: string): string {
  return /^<.+>$/u.test(id) ? id.slice(1, -1) : id
}
