/**
 * Queries as SQL.
 *
 * INVARIANT: total over the tree but for what is settled before a folder is searched; the meaning is that of `matches`.
 */
import type { Query, WordsTerm } from '../../../core/query/query.ts'
import { bitOf } from '../flags.ts'
import { hashOfId } from '../message-ids.ts'
import { IN_BODY } from '../word-index.ts'
import { ALWAYS, allOf, anyOf, type Condition, condition, NEVER, noneOf } from './condition.ts'
import { isToldByKeys } from './key-sql.ts'
import { isWords, uncertainExpression, wordsExpression } from './words-sql.ts'

/** What a search walks: hits of the index if there is an expression, else messages; those that meet the condition. */
export interface Plan {
  readonly words: string | undefined
  /** What is left to be asked of those whose keys are within these moments. */
  readonly rest: Condition
  readonly from: number | undefined
  readonly before: number | undefined
}

/** Whether there is nothing that a message could fail to meet. */
export function isAll({ words, rest, from, before }: Plan): boolean {
  return words === undefined && rest.sql === ALWAYS.sql && from === undefined && before === undefined
}

/** Undefined where nothing can match. */
export function planOf(query: Query): Plan | undefined {
  const simple = simplified(query)
  if (simple.kind === 'none') return undefined
  const parts = simple.kind === 'and' ? simple.of : [simple]
  const words = parts.filter((part) => part.kind !== 'all' && isWords(part))
  const others = parts.filter((part) => !isWords(part))
  const spans = others.flatMap((part) => (part.kind === 'received' ? part : []))
  return {
    words: words.length === 0 ? undefined : wordsExpression({ kind: 'and', of: words }),
    rest: allOf(others.filter((part) => !isToldSpan(part)).map((part) => conditionOf(part))),
    from: extreme(
      spans.flatMap(({ from }) => from ?? []),
      Math.max,
    ),
    before: extreme(
      spans.flatMap(({ before }) => before ?? []),
      Math.min,
    ),
  }
}

function isToldSpan(query: Query): boolean {
  return query.kind === 'received' && [query.from, query.before].every((at) => at === undefined || isToldByKeys(at))
}

function extreme(moments: readonly number[], choose: (...all: number[]) => number): number | undefined {
  return moments.length === 0 ? undefined : choose(...moments)
}

/** The same, with `and` of `and` made one, and without `all` and `none` below the top. */
export function simplified(query: Query): Query {
  switch (query.kind) {
    case 'and':
      return gathered(query.of, 'and', 'none', 'all')
    case 'or':
      return gathered(query.of, 'or', 'all', 'none')
    case 'not':
      return inverted(simplified(query.of))
    default:
      return query
  }
}

function gathered(of: readonly Query[], kind: 'and' | 'or', decides: 'all' | 'none', adds: 'all' | 'none'): Query {
  const parts = of.map(simplified).flatMap((part) => (part.kind === kind ? part.of : [part]))
  if (parts.some((part) => part.kind === decides)) return { kind: decides }
  const left = parts.filter((part) => part.kind !== adds)
  const [first, ...more] = left
  if (first === undefined) return { kind: adds }
  return more.length === 0 ? first : { kind, of: left }
}

function inverted(query: Query): Query {
  if (query.kind === 'not') return query.of
  if (query.kind === 'all') return { kind: 'none' }
  return query.kind === 'none' ? { kind: 'all' } : { kind: 'not', of: query }
}

/** Of the message `m`; words by that key alone. */
export function conditionOf(query: Query, key = 'm.key'): Condition {
  if (query.kind === 'all') return ALWAYS
  if (query.kind === 'none') return NEVER
  if (isWords(query)) {
    return condition(`${key} in (select rowid from words where words match ?)`, wordsExpression(query))
  }
  switch (query.kind) {
    case 'and':
      return allOf(query.of.map((one) => conditionOf(one, key)))
    case 'or':
      return anyOf(query.of.map((one) => conditionOf(one, key)))
    case 'not':
      return isSeen(query.of) ? UNSEEN : noneOf(conditionOf(query.of, key))
    case 'words':
      return uncertainCondition(query, key)
    case 'uncertain':
      return condition(
        query.where === 'any' ? '(m.uncertain is not null)' : `(coalesce(m.uncertain, 0) & ${IN_BODY} <> 0)`,
      )
    case 'attachment':
      return condition('coalesce(m.attachment, 0)')
    case 'flag':
      return flagCondition(query.flag)
    case 'received':
      return within('m.received', query.from, '>=', query.before, '<')
    case 'size':
      return within('m.size', query.over, '>', query.under, '<')
    case 'message_id':
      return messageIdCondition(query.id)
    default:
      throw new Error(`a query for ${query.kind} was not settled before the search`)
  }
}

/** Words that may stand in visible text or in text that a person may not see. */
function uncertainCondition({ uncertain: _, ...visible }: WordsTerm, key: string): Condition {
  const among = `${key} in (select rowid from uncertain_words where uncertain_words match ?)`
  return anyOf([conditionOf(visible, key), condition(among, uncertainExpression(visible))])
}

/** As the index of unread messages writes it. */
export const UNSEEN: Condition = condition('m.bits & 1 = 0')

function isSeen(query: Query): boolean {
  return query.kind === 'flag' && query.flag.toLowerCase() === '\\seen'
}

export function flagCondition(flag: string): Condition {
  const bit = bitOf(flag)
  if (bit !== undefined) return condition(`(m.bits & ${bit} <> 0)`)
  if (/\s/.test(flag)) return NEVER
  return condition("(instr(coalesce(m.keywords, ''), ?) > 0)", ` ${flag.toLowerCase()} `)
}

function within(
  column: string,
  least: number | undefined,
  isLeast: string,
  most: number | undefined,
  isMost: string,
): Condition {
  return allOf([
    ...(least === undefined ? [] : [condition(`${column} ${isLeast} ?`, least)]),
    ...(most === undefined ? [] : [condition(`${column} ${isMost} ?`, most)]),
  ])
}

function messageIdCondition(id: string): Condition {
  if (!id.isWellFormed()) return NEVER
  const exactly = 'exists (select 1 from folded f where f.key = m.key and f.message_id = ?)'
  return condition(`(coalesce(m.message_id, -1) = ? and ${exactly})`, hashOfId(id), id)
}
