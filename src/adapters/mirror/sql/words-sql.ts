/**
 * Queries that ask for nothing but words, as one expression of the index.
 *
 * INVARIANT: a word is only ever data: it is quoted, and holds no quote. The index walks its hits newest first and so stops as
 * soon as enough were found, whatever the expression.
 */
import type { Query, WordsTerm } from '../../../core/query/query.ts'
import { patternOf } from '../../../core/query/words.ts'
import { COLUMN_OF, EVERY, NO, placeMark } from '../word-index.ts'

/** The index reads no expression that is nested much deeper; what is deeper is put together by SQL. */
const DEEPEST = 8

/** Of nothing but visible words, and no deeper than the index can read. */
export function isWords(query: Query, deepest = DEEPEST): boolean {
  switch (query.kind) {
    case 'words':
      return query.uncertain !== true
    case 'all':
    case 'none':
      return true
    case 'and':
    case 'or':
      return deepest > 0 && query.of.every((one) => isWords(one, deepest - 1))
    case 'not':
      return deepest > 0 && isWords(query.of, deepest - 1)
    default:
      return false
  }
}

/** Only of a query that `isWords`. */
export function wordsExpression(query: Query): string {
  switch (query.kind) {
    case 'all':
      return quoted(EVERY)
    case 'none':
      return quoted(NO)
    case 'words':
      return term(query)
    case 'and':
      return conjunction(query.of)
    case 'or':
      return sameWords(query.of) ?? disjunction(query.of)
    case 'not':
      return `(${quoted(EVERY)} NOT ${wordsExpression(query.of)})`
    default:
      throw new Error('a query that is no words was taken for one')
  }
}

/** The same words among those of uncertain text, by the columns of their index. */
export function uncertainExpression(query: WordsTerm): string {
  return query.field === 'body' ? `(body : ${phraseOf(query)})` : phraseOf(query)
}

/** In any of these folders. */
export function inFolders(expression: string, folders: readonly number[]): string {
  return `(${expression} AND (${folders.map((folder) => quoted(placeMark(folder))).join(' OR ')}))`
}

/** The same, by all the other folders. */
export function notInFolders(expression: string, folders: readonly number[]): string {
  if (folders.length === 0) return expression
  return `(${expression} NOT (${folders.map((folder) => quoted(placeMark(folder))).join(' OR ')}))`
}

/** What must not be there is taken from what must be, which is less than all. */
function conjunction(of: readonly Query[]): string {
  const wanted = of.filter(({ kind }) => kind !== 'not' && kind !== 'all').map(wordsExpression)
  const unwanted = of.flatMap((query) => (query.kind === 'not' ? wordsExpression(query.of) : []))
  const held = wanted.length === 0 ? quoted(EVERY) : `(${wanted.join(' AND ')})`
  return unwanted.length === 0 ? held : `(${held} NOT (${unwanted.join(' OR ')}))`
}

function disjunction(of: readonly Query[]): string {
  return of.length === 0 ? quoted(NO) : `(${of.map(wordsExpression).join(' OR ')})`
}

/** The same words in one of several fields are looked up once. */
function sameWords(of: readonly Query[]): string | undefined {
  const columns: string[] = []
  const phrases = new Set<string>()
  for (const query of of) {
    if (query.kind !== 'words' || query.field === 'any') return undefined
    columns.push(COLUMN_OF[query.field])
    phrases.add(phraseOf(query))
  }
  const [phrase, ...others] = phrases
  return phrase === undefined || others.length > 0 ? undefined : `({${columns.join(' ')}} : ${phrase})`
}

function term(query: WordsTerm): string {
  return query.field === 'any' ? phraseOf(query) : `(${COLUMN_OF[query.field]} : ${phraseOf(query)})`
}

function phraseOf({ pieces, open }: WordsTerm): string {
  const pattern = patternOf(pieces, open)
  return `${quoted(pattern.words.join(' '))}${pattern.open ? ' *' : ''}`
}

/** Whether it asks for beginnings of words: then the index gathers all their hits, however few of them are looked at. */
export function isOpen(expression: string): boolean {
  return expression.includes(OPEN)
}

/** Stands behind a quote, and so in no word. */
const OPEN = '" *'

function quoted(words: string): string {
  return `"${words.replaceAll('"', '')}"`
}
