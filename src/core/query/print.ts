/**
 * A query as text that `parseQuery` reads as the same.
 *
 * INVARIANT: no bracket that is not needed, so that what was parsed is nested no deeper when it is printed. What cannot be
 * written, control characters in names, is left out.
 */
import { writeMoment } from './amounts.ts'
import { simplify } from './places.ts'
import type { Query, WordsTerm } from './query.ts'

/** No message is smaller than nothing. */
const NEVER = 'smaller:0'
const ALWAYS = `-${NEVER}`

/** The empty text is the query that everything matches. */
export function printQuery(query: Query): string {
  const plain = simplify(query)
  return plain.kind === 'all' ? '' : print(plain)
}

function print(query: Query): string {
  switch (query.kind) {
    case 'all':
      return ALWAYS
    case 'none':
      return NEVER
    case 'and':
      return query.of.map(print).join(' ')
    case 'or':
      return query.of.map((one) => (isSeveral(one) ? `(${print(one)})` : print(one))).join(' OR ')
    case 'not':
      return printNot(query.of)
    case 'words':
      return printWords(query)
    case 'attachment':
      return 'has:attachment'
    case 'uncertain':
      return 'has:uncertain'
    case 'flag':
      return FLAGS.get(query.flag.toLowerCase()) ?? `keyword:${quoted(query.flag)}`
    case 'received':
    case 'size':
      return printRange(query)
    case 'message_id':
      return `rfc822msgid:${quoted(/^<.+>$/u.test(query.id) ? `<${query.id}>` : query.id)}`
    case 'in':
      return `in:${quoted(query.place)}`
    case 'label':
      return `label:${quoted(query.label)}`
  }
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['\\seen', 'is:read'],
  ['\\flagged', 'is:starred'],
  ['\\answered', 'is:answered'],
  ['\\draft', 'is:draft'],
  ['$important', 'is:important'],
])

function printNot(query: Query): string {
  if (query.kind === 'flag' && query.flag.toLowerCase() === '\\seen') return 'is:unread'
  const inner = print(query)
  const isOne = query.kind !== 'or' && !isSeveral(query) && !inner.startsWith('-')
  return isOne ? `-${inner}` : `-(${inner})`
}

type Range = Extract<Query, { readonly kind: 'received' | 'size' }>

function isRange(query: Query): query is Range {
  return query.kind === 'received' || query.kind === 'size'
}

/** Whether it prints as several terms. */
function isSeveral(query: Query): boolean {
  return query.kind === 'and' || (isRange(query) && sidesOf(query).length > 1)
}

function printRange(query: Range): string {
  return sidesOf(query).join(' ') || ALWAYS
}

/** A message is larger than any number below 0, which cannot be written. */
function sidesOf(query: Range): string[] {
  if (query.kind === 'received') {
    const { from, before } = query
    return [
      ...written('after', from === undefined ? from : writeMoment(from)),
      ...written('before', before === undefined ? before : writeMoment(before)),
    ]
  }
  const { over = -1, under } = query
  return [
    ...written('larger', over < 0 ? undefined : over),
    ...written('smaller', under === undefined ? under : Math.max(0, under)),
  ]
}

function written(operator: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [`${operator}:${value}`]
}

function printWords({ field, pieces, open }: WordsTerm): string {
  const words = pieces.join(' ') + (open ? '*' : '')
  const isBare = pieces.length === 1 && words !== 'me'
  return (field === 'any' ? '' : `${field}:`) + (isBare ? words : `"${words}"`)
}

const BARE = /^[^\s(){}"]+$/u

function quoted(name: string): string {
  const writable = name.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '')
  return BARE.test(writable) ? writable : `"${writable.replaceAll('"', '""')}"`
}
