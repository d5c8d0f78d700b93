/**
 * CSS tokens, by CSS Syntax Level 3 §4.
 *
 * INVARIANT: linear in the size of the input, never throws. Every opening bracket has its closing one: what is open at
 * the end of the input is closed there, as browsers close it. Only ASCII is folded, only CSS white space is space.
 */
export interface Token {
  readonly kind: Kind
  /** Unescaped, not folded. Numbers as written, without unit; functions, hashes and at-keywords without their sign. */
  readonly text: string
  readonly number?: number
  /** In lower case; of dimensions only. */
  readonly unit?: string
  readonly isId?: boolean
}

type Bracket = '[' | ']' | '(' | ')' | '{' | '}'
type Sign = 'delim' | 'space' | 'colon' | 'semicolon' | 'comma' | 'cdo' | 'cdc'
type Word = 'ident' | 'function' | 'at' | 'hash' | 'string' | 'bad-string' | 'url' | 'bad-url'
export type Kind = Bracket | Sign | Word | 'number' | 'percentage' | 'dimension'

export interface Tokens {
  readonly list: readonly Token[]
  /** For each opening bracket or function the place of its closing bracket, for closing ones of the opening; else -1. */
  readonly pair: Int32Array
  readonly comments: readonly string[]
  /** False where the input has more tokens than are read. */
  readonly complete: boolean
}

export const MAX_TOKENS = 150_000

export function tokenize(css: string, most = MAX_TOKENS): Tokens {
  return new Tokenizer(preprocessed(css)).read(most)
}

export function lowerAscii(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase()) : text
}

/** CSS Syntax §3.3. */
function preprocessed(css: string): string {
  return /[\r\f\0]/.test(css) ? css.replace(/\r\n?|\f/g, '\n').replaceAll('\0', '\uFFFD') : css
}

const CLOSING: Readonly<Record<string, Bracket>> = { '(': ')', '[': ']', '{': '}', function: ')' }
const SIGNS: Readonly<Record<string, Kind>> = {
  ':': 'colon',
  ';': 'semicolon',
  ',': 'comma',
  '[': '[',
  ']': ']',
  '(': '(',
  ')': ')',
  '{': '{',
  '}': '}',
}
const SPACE: Token = { kind: 'space', text: ' ' }
const BLANKS = /[ \t\n]+/y
const NUMBER = /[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y
const NAME = /[-\w\u0080-\uFFFF]+/y
const ESCAPE = /\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|([\uD800-\uDBFF][\uDC00-\uDFFF]|[^\n]|$))/y
/** `\` and a line break is no escape. */
const NAME_START = /-?(?:[a-zA-Z_\u0080-\uFFFF]|\\(?!\n))|--/y
const STRING_PART = /[^"'\\\n]+/y
const URL_PART = /[!#-&*-[\]-~\u0080-\uFFFF]+/y

class Tokenizer {
  readonly #css: string
  readonly #comments: string[] = []
  #at = 0

  constructor(css: string) {
    this.#css = css
  }

  read(most: number): Tokens {
    const list: Token[] = []
    while (this.#at < this.#css.length && list.length < most) {
      const token = this.#next()
      // Runs of white space are one token, even with comments between them.
      if (token !== undefined && (token !== SPACE || list.at(-1) !== SPACE)) list.push(token)
    }
    return { list, pair: paired(list), comments: this.#comments, complete: this.#at >= this.#css.length }
  }

  #next(): Token | undefined {
    const char = this.#css[this.#at] ?? ''
    if (this.#take(BLANKS) !== '') return SPACE
    if (char === '/' && this.#css[this.#at + 1] === '*') return this.#comment()
    if (char === '"' || char === "'") return this.#string(char)
    const number = this.#take(NUMBER)
    if (number !== '') return this.#numeric(number)
    if (this.#css.startsWith('-->', this.#at)) return this.#sign('cdc', '-->')
    if (this.#startsName(this.#at)) return this.#word()
    if (char === '#') return this.#hash()
    if (char === '@' && this.#startsName(this.#at + 1)) {
      this.#at++
      return { kind: 'at', text: this.#name() }
    }
    if (this.#css.startsWith('<!--', this.#at)) return this.#sign('cdo', '<!--')
    return this.#sign(SIGNS[char] ?? 'delim', char)
  }

  #sign(kind: Kind, text: string): Token {
    this.#at += text.length
    return { kind, text }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#css)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #comment(): undefined {
    const end = this.#css.indexOf('*/', this.#at + 2)
    this.#comments.push(this.#css.slice(this.#at + 2, end === -1 ? undefined : end))
    this.#at = end === -1 ? this.#css.length : end + 2
  }

  #startsName(at: number): boolean {
    NAME_START.lastIndex = at
    return NAME_START.test(this.#css)
  }

  #name(): string {
    let name = this.#take(NAME)
    while (this.#css[this.#at] === '\\' && this.#css[this.#at + 1] !== '\n') name += this.#escape() + this.#take(NAME)
    return name
  }

  #escape(): string {
    ESCAPE.lastIndex = this.#at
    const [all = '', hex, char] = ESCAPE.exec(this.#css) ?? []
    this.#at += all.length
    if (hex === undefined) return char === undefined || char === '' ? '\uFFFD' : char
    const code = Number.parseInt(hex, 16)
    const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return valid ? String.fromCodePoint(code) : '\uFFFD'
  }

  #numeric(text: string): Token {
    const number = Number(text)
    if (this.#startsName(this.#at)) return { kind: 'dimension', text, number, unit: lowerAscii(this.#name()) }
    if (this.#css[this.#at] !== '%') return { kind: 'number', text, number }
    this.#at++
    return { kind: 'percentage', text, number }
  }

  #hash(): Token {
    this.#at++
    const isId = this.#startsName(this.#at)
    const text = this.#name()
    return text === '' ? { kind: 'delim', text: '#' } : { kind: 'hash', text, isId }
  }

  #word(): Token {
    const text = this.#name()
    if (this.#css[this.#at] !== '(') return { kind: 'ident', text }
    this.#at++
    return lowerAscii(text) === 'url' && !this.#isQuoted() ? this.#url() : { kind: 'function', text }
  }

  #isQuoted(): boolean {
    BLANKS.lastIndex = this.#at
    const first = this.#css[this.#at + (BLANKS.exec(this.#css)?.[0].length ?? 0)]
    return first === '"' || first === "'"
  }

  #string(quote: string): Token {
    this.#at++
    let text = ''
    for (;;) {
      text += this.#take(STRING_PART)
      const char = this.#css[this.#at]
      if (char === '\n') return { kind: 'bad-string', text }
      if (char === '\\') text += this.#escapeInString()
      else {
        this.#at++
        if (char === quote || char === undefined) return { kind: 'string', text }
        text += char
      }
    }
  }

  #escapeInString(): string {
    const next = this.#css[this.#at + 1]
    if (next !== undefined && next !== '\n') return this.#escape()
    this.#at += 2
    return ''
  }

  #url(): Token {
    this.#take(BLANKS)
    let text = this.#take(URL_PART)
    while (this.#css[this.#at] === '\\' && this.#css[this.#at + 1] !== '\n')
      text += this.#escape() + this.#take(URL_PART)
    this.#take(BLANKS)
    const isWhole = this.#at >= this.#css.length || this.#css[this.#at] === ')'
    if (!isWhole) this.#skipBadUrl()
    this.#at++
    return isWhole ? { kind: 'url', text } : { kind: 'bad-url', text: '' }
  }

  #skipBadUrl(): void {
    for (; this.#at < this.#css.length && this.#css[this.#at] !== ')'; this.#at++) {
      if (this.#css[this.#at] === '\\') this.#at++
    }
  }
}

/** Inside of a bracket only its own closing bracket ends it; other closing brackets are ordinary tokens there. */
function paired(list: Token[]): Int32Array {
  const open: number[] = []
  const pairs: [number, number][] = []
  const length = list.length
  for (let at = 0; at < length; at++) {
    const kind = list[at]?.kind ?? 'space'
    const last = open.at(-1)
    if (CLOSING[kind] !== undefined) open.push(at)
    else if (last !== undefined && kind === closingOf(list, last)) {
      open.pop()
      pairs.push([last, at])
    }
  }
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    const kind = closingOf(list, last)
    pairs.push([last, list.length])
    list.push({ kind, text: kind })
  }
  const pair = new Int32Array(list.length).fill(-1)
  for (const [from, to] of pairs) {
    pair[from] = to
    pair[to] = from
  }
  return pair
}

function closingOf(list: readonly Token[], at: number): Bracket {
  return CLOSING[list[at]?.kind ?? ''] ?? ')'
}
