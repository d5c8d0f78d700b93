/**
 * What a person or an agent writes, as a tree: Gmail's language.
 *
 * INVARIANT: linear in the length of the text, and every text gives a tree or a `Failure('invalid_input')` that says
 * what is wrong, at which character and what to write instead; of the text it repeats no more than the name of an
 * operator. OR binds tighter than AND.
 */
import { Failure } from '../failure.ts'
import { ANY_WORDS, isComplaint, OPERATORS, type Operator, type Value } from './operators.ts'
import { EVERYTHING, type Query, withUncertainWords } from './query.ts'
import { patternOf } from './words.ts'

export const MAX_QUERY_CHARACTERS = 2_000
export const MAX_QUERY_NESTING = 50
/** Each is looked up by itself, in a search that nothing can interrupt. */
export const MAX_QUERY_TERMS = 120
/** One that is left open stands for every word that begins like it. */
export const MAX_QUERY_OPEN_TERMS = 8

const BLANKS = /\s*/uy
const RUN = /[^\s(){}"]+/uy
const CONNECTIVE = /(?:OR|AND)(?![^\s(){}"])/uy
const NEGATIVE = /NOT(?=\s+[^\s)}]|\()/uy
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const OPERATOR_NAME = /^[\p{L}_]+$/u
/** What stands before subjects of answers, in several languages, and no operator. */
const ANSWERS = new Set(['re', 'fwd', 'fw', 'aw', 'wg', 'sv', 'vs', 'antw', 'tr', 'rv', 'ref'])
const BETWEEN = 'write it between two terms, or in small letters for the word'
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '{': '}' }

export function parseQuery(text: string, nowSeconds: number): Query {
  mustBeReadable(text)
  return withUncertainWords(new Reader(text, nowSeconds).whole())
}

function mustBeReadable(text: string): void {
  if (text.length > MAX_QUERY_CHARACTERS && !isShort(text)) {
    const most = MAX_QUERY_CHARACTERS.toLocaleString('en')
    throw failureAt(MAX_QUERY_CHARACTERS + 1, `a query has at most ${most} characters; write a shorter one`)
  }
  const control = text.search(CONTROL)
  if (control === -1) return
  const what = 'a line break, a control character or half a character cannot be looked for; write a blank instead'
  throw failureAt(characterAt(text, control), what)
}

function isShort(text: string): boolean {
  return text.length <= 2 * MAX_QUERY_CHARACTERS && [...text].length <= MAX_QUERY_CHARACTERS
}

function characterAt(text: string, offset: number): number {
  return [...text.slice(0, offset)].length + 1
}

function failureAt(position: number, what: string): Failure {
  return new Failure('invalid_input', `query, character ${position}: ${what}`, { details: { position } })
}

/** Within the brackets behind an operator, every word is a value of it. */
interface Group {
  readonly opener: string
  readonly openedAt: number
  readonly under: Named | undefined
}

interface Named {
  readonly name: string
  readonly operator: Operator
}

class Reader {
  readonly #text: string
  readonly #nowSeconds: number
  #at = 0
  #depth = 0
  #terms = 0
  #openTerms = 0

  constructor(text: string, nowSeconds: number) {
    this.#text = text
    this.#nowSeconds = nowSeconds
  }

  whole(): Query {
    return this.#sequence({ opener: '', openedAt: 0, under: undefined })
  }

  /** Everything up to the end of the group: all of it must hold, or any of it in braces. */
  #sequence(group: Group): Query {
    const anyOf = group.opener === '{'
    const items: Query[][] = []
    let joint: { readonly word: string; readonly at: number } | undefined
    while (!this.#isOver(group)) {
      const at = this.#at
      const word = this.#take(CONNECTIVE)
      if (word !== '') {
        if (items.length === 0 || joint !== undefined) this.#fail(at, `${word} needs something before it; ${BETWEEN}`)
        if (anyOf && word === 'AND') this.#fail(at, 'AND cannot stand in braces, which mean OR; write ( ) instead')
        joint = { word, at }
        continue
      }
      if (this.#take(NEGATIVE) !== '') this.#fail(at, 'there is no NOT; write - before what must not be there instead')
      const item = this.#operand(group.under)
      if (items.length > 0 && (anyOf || joint?.word === 'OR')) items.at(-1)?.push(item)
      else items.push([item])
      joint = undefined
    }
    if (joint !== undefined) this.#fail(joint.at, `${joint.word} needs something behind it; ${BETWEEN}`)
    if (items.length === 0 && group.opener !== '')
      this.#fail(group.openedAt, 'the brackets are empty; write something in them')
    return joined(
      'and',
      items.map((alternatives) => joined('or', alternatives)),
    )
  }

  /** Steps over blanks, and over the end of the group. */
  #isOver(group: Group): boolean {
    this.#take(BLANKS)
    const next = this.#text.charAt(this.#at)
    if (next === '' && group.opener !== '') {
      this.#fail(group.openedAt, `this bracket is never closed; write ${CLOSERS[group.opener]} where it ends`)
    }
    if (next !== '' && next === CLOSERS[group.opener]) {
      this.#at += 1
      return true
    }
    if (next === ')' || next === '}') this.#fail(this.#at, 'this bracket closes none; remove it or put it in quotes')
    return next === ''
  }

  #operand(under: Named | undefined): Query {
    if (!this.#isNegation()) return this.#term(under)
    this.#at += 1
    return { kind: 'not', of: this.#term(under) }
  }

  #isNegation(): boolean {
    return this.#text.charAt(this.#at) === '-' && /^[^\s)}]/u.test(this.#text.slice(this.#at + 1, this.#at + 3))
  }

  #term(under: Named | undefined): Query {
    const next = this.#text.charAt(this.#at)
    if (next === '(' || next === '{') return this.#group(next, under)
    if (next === '"') return this.#quoted(under)
    const start = this.#at
    const run = this.#take(RUN)
    const named = this.#namedIn(run, start)
    if (named === undefined) return this.#read({ text: run, quoted: false }, start, under)
    if (under !== undefined) this.#fail(start, `${named.name}: cannot stand in the brackets of ${under.name}:`)
    this.#at = start + run.indexOf(':') + 1
    return this.#valueOf(named, start)
  }

  #valueOf(named: Named, start: number): Query {
    const next = this.#text.charAt(this.#at)
    if (next === '(' || next === '{') return this.#group(next, named)
    if (next === '"') return this.#quoted(named)
    const valueAt = this.#at
    const value = this.#take(RUN)
    if (value !== '') return this.#read({ text: value, quoted: false }, valueAt, named)
    const { name, operator } = named
    return this.#fail(start, `nothing stands right behind ${name}:; write ${operator.example} without a blank`)
  }

  #group(opener: string, under: Named | undefined): Query {
    const openedAt = this.#at
    if (this.#depth >= MAX_QUERY_NESTING) {
      this.#fail(openedAt, `brackets stand in each other more than ${MAX_QUERY_NESTING} deep; write a simpler query`)
    }
    this.#at += 1
    this.#depth += 1
    const inside = this.#sequence({ opener, openedAt, under })
    this.#depth -= 1
    return inside
  }

  /** Two quotes within quotes are one that is meant. */
  #quoted(under: Named | undefined): Query {
    const start = this.#at
    let end = this.#text.indexOf('"', start + 1)
    while (end !== -1 && this.#text.charAt(end + 1) === '"') end = this.#text.indexOf('"', end + 2)
    if (end === -1) this.#fail(start, 'this quote is never closed; write a second " where the phrase ends')
    this.#at = end + 1
    const isOpen = (under?.operator ?? ANY_WORDS).words && /^\*(?![^\s(){}"])/u.test(this.#text.slice(end + 1, end + 4))
    if (isOpen) this.#at += 1
    const text = this.#text.slice(start + 1, end).replaceAll('""', '"') + (isOpen ? '*' : '')
    return this.#read({ text, quoted: true }, start, under)
  }

  #read(value: Value, start: number, under: Named | undefined): Query {
    const read = (under?.operator ?? ANY_WORDS).read(value, this.#nowSeconds)
    if (isComplaint(read)) this.#fail(start, read.wrong)
    this.#count(read, start)
    return read
  }

  #count(term: Query, start: number): void {
    this.#terms += 1
    if (this.#terms > MAX_QUERY_TERMS)
      this.#fail(start, `a query has at most ${MAX_QUERY_TERMS} terms; write a shorter one`)
    if (term.kind !== 'words' || !patternOf(term.pieces, term.open).open) return
    this.#openTerms += 1
    if (this.#openTerms > MAX_QUERY_OPEN_TERMS) {
      const what = 'words that end in * or are a single character of unspaced script'
      this.#fail(start, `a query has at most ${MAX_QUERY_OPEN_TERMS} ${what}; write a shorter one`)
    }
  }

  /** The operator that a run of characters begins with; a word that merely holds a colon has none. */
  #namedIn(run: string, start: number): Named | undefined {
    const colon = run.indexOf(':')
    if (colon < 1) return undefined
    const name = run.slice(0, colon).toLowerCase()
    const operator = OPERATORS.get(name)
    if (operator !== undefined) return { name, operator }
    const rest = run.slice(colon + 1) || this.#text.charAt(this.#at).trim().replace(/[)}]/, '')
    if (rest === '' || rest.startsWith('//') || ANSWERS.has(name) || !OPERATOR_NAME.test(name)) return undefined
    const known = [...OPERATORS.keys()].map((each) => `${each}:`).join(', ')
    const shown = name.length > 32 ? 'that name' : `${name}:`
    return this.#fail(start, `there is no operator ${shown}; write one of ${known}, or put the text in double quotes`)
  }

  #take(shape: RegExp): string {
    shape.lastIndex = this.#at
    const found = shape.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #fail(offset: number, what: string): never {
    throw failureAt(characterAt(this.#text, offset), what)
  }
}

function joined(kind: 'and' | 'or', items: readonly Query[]): Query {
  const [only, ...others] = items
  if (only === undefined) return EVERYTHING
  return others.length === 0 ? only : { kind, of: items }
}
