/**
 * Reads an address list (RFC 5322 with its obsolete forms, and what else is found in mail) in one pass.
 *
 * INVARIANT: linear in the size of the input, never throws, never recurses: nested groups and comments are counted, not
 * followed.
 */
import type { Address } from './addresses.ts'
import { oneLine } from './header.ts'
import { decodeWords } from './words.ts'

/** What lies beyond is not looked at. */
export const MAX_ADDRESSES = 100_000

export interface AddressScan {
  readonly addresses: Address[]
  /** How often the list uses what ordinary senders do not: groups, source routes, comments beside an address. */
  readonly groups: number
  readonly routes: number
  readonly comments: number
  /** How often an encoded word stands where an address should. */
  readonly encodedAddresses: number
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'encoded'
  /** What it says, without quotes and escapes. */
  readonly text: string
  readonly raw: string
  /** Whether white space stands before it. */
  readonly spaced: boolean
}

const ENCODED_WORD = /=\?[^\s?]{1,100}\?[BbQq]\?[^\s?]*\?=/y

export function scanAddresses(value: string): AddressScan {
  return new Scanner(value, MAX_ADDRESSES).scan()
}

/** The first `most` addresses; nothing is read beyond them. */
export function firstAddresses(value: string, most: number): Address[] {
  return new Scanner(value, most).scan().addresses.slice(0, most)
}

class Scanner {
  readonly #text: string
  readonly #most: number
  readonly #found = { addresses: [] as Address[], groups: 0, routes: 0, comments: 0, encodedAddresses: 0 }
  #at = 0
  #tokens: Token[] = []
  #word = ''
  #comment = ''
  #spaced = false
  #inBracket = false
  #sawAt = false
  #afterAngle = false
  /** False once an opening quote or parenthesis had no end: then no later one has, and they are plain characters. */
  #quotesEnd = true
  #commentsEnd = true

  constructor(text: string, most: number) {
    this.#text = text
    this.#most = most
  }

  scan(): AddressScan {
    while (this.#at < this.#text.length && this.#found.addresses.length < this.#most) this.#step()
    this.#finish()
    return this.#found
  }

  #step(): void {
    const character = this.#text.charAt(this.#at)
    if (character === '"' && this.#readQuoted()) return
    if (character === '(' && this.#readComment()) return
    if (character === '=' && this.#readEncoded()) return
    if (character === '<') this.#readAngle()
    else {
      this.#at++
      this.#take(character)
    }
  }

  #take(character: string): void {
    if (character === ',' || character === ';') this.#finish()
    else if (character === ':' && !this.#inBracket && !this.#sawAt) this.#startGroup()
    else if (isBlank(character)) {
      this.#endWord()
      this.#spaced = true
    } else this.#addToWord(character)
  }

  #addToWord(character: string): void {
    if (character === '@') this.#sawAt = true
    else if (character === '[') this.#inBracket = true
    else if (character === ']') this.#inBracket = false
    this.#word += character
  }

  #endWord(): void {
    if (this.#word !== '') this.#push('word', this.#word, this.#word)
    this.#word = ''
  }

  #push(kind: Token['kind'], text: string, raw: string): void {
    this.#tokens.push({ kind, text, raw, spaced: this.#spaced })
    this.#spaced = false
  }

  #readQuoted(): boolean {
    if (!this.#quotesEnd) return false
    const characters: string[] = []
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text.charAt(at)
      if (character === '"') {
        this.#endWord()
        this.#push('quoted', characters.join(''), this.#text.slice(this.#at, at + 1))
        this.#at = at + 1
        return true
      }
      if (character === '\\' && at + 1 < this.#text.length) at++
      characters.push(this.#text.charAt(at))
    }
    this.#quotesEnd = false
    return false
  }

  #readComment(): boolean {
    if (!this.#commentsEnd) return false
    let depth = 0
    for (let at = this.#at; at < this.#text.length; at++) {
      const character = this.#text.charAt(at)
      if (character === '\\') at++
      else if (character === '(') depth++
      else if (character === ')' && --depth === 0) {
        this.#endWord()
        this.#spaced = true
        this.#comment = this.#text.slice(this.#at + 1, at)
        this.#found.comments++
        this.#at = at + 1
        return true
      }
    }
    this.#commentsEnd = false
    return false
  }

  /** Read as one piece: commas that a careless program left in it separate nothing. */
  #readEncoded(): boolean {
    ENCODED_WORD.lastIndex = this.#at
    const [word] = ENCODED_WORD.exec(this.#text) ?? []
    if (word === undefined) return false
    this.#endWord()
    this.#push('encoded', word, word)
    this.#at += word.length
    return true
  }

  /** `<…>`: up to its end, or to a comma where it has none. A source route may hold commas. */
  #readAngle(): void {
    this.#endWord()
    const text = this.#text
    const isRoute = text.charAt(this.#at + 1) === '@'
    let quoted = false
    let at = this.#at + 1
    for (; at < text.length; at++) {
      const character = text.charAt(at)
      if (character === '\\' && quoted) at++
      else if (character === '"') quoted = !quoted
      else if (!quoted && (character === '>' || character === '<' || (character === ',' && !isRoute))) break
    }
    const written = text.slice(this.#at + 1, at).trim()
    this.#at = text.charAt(at) === '>' ? at + 1 : at
    const route = written.startsWith('@') ? written.indexOf(':') : -1
    if (route !== -1) this.#found.routes++
    if (written.includes('=?')) this.#found.encodedAddresses++
    this.#add(phrase(this.#tokens) || commentText(this.#comment), written.slice(route + 1))
    this.#afterAngle = true
  }

  #startGroup(): void {
    this.#found.groups++
    this.#reset()
  }

  #add(name: string, address: string): void {
    this.#found.addresses.push({ name, address: oneLine(address) })
    this.#reset()
  }

  #reset(): void {
    this.#tokens = []
    this.#word = ''
    this.#comment = ''
    this.#spaced = false
    this.#inBracket = false
    this.#sawAt = false
    this.#afterAngle = false
  }

  /** What stood there without angle brackets: an address, or words that are none. */
  #finish(): void {
    this.#endWord()
    if (this.#tokens.length > 0 && !(this.#afterAngle && !this.#sawAt)) {
      const { name, address } = bareAddress(this.#tokens, this.#comment)
      const encoded = this.#tokens.some(({ kind }) => kind === 'encoded')
      if (encoded && (address === '' || address.includes('=?'))) this.#found.encodedAddresses++
      this.#add(name, address)
    } else this.#reset()
  }
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n'
}

/** The one unit with an `@` is the address and the rest a name; two such units are no address we would choose from. */
function bareAddress(tokens: readonly Token[], comment: string): Address {
  const units = unitsOf(tokens)
  const [only, ...others] = units.filter((unit) => unit.some(({ kind, text }) => kind === 'word' && text.includes('@')))
  if (others.length > 0) return { name: '', address: units.map(rawOf).join(' ') }
  if (only !== undefined) {
    const rest = units.filter((unit) => unit !== only).flat()
    return { name: phrase(rest) || commentText(comment), address: rawOf(only) }
  }
  const [first] = tokens
  if (tokens.length === 1 && first?.kind === 'word') return { name: commentText(comment), address: first.text }
  return { name: phrase(tokens), address: '' }
}

/** Tokens that stand together, or only have blanks around their `@` between them. */
function unitsOf(tokens: readonly Token[]): Token[][] {
  const units: Token[][] = []
  let last: Token | undefined
  for (const token of tokens) {
    const joins = !token.spaced || last?.raw.endsWith('@') || token.raw.startsWith('@')
    if (joins && last !== undefined) units.at(-1)?.push(token)
    else units.push([token])
    last = token
  }
  return units
}

function rawOf(unit: readonly Token[]): string {
  return unit.map(({ raw }) => raw).join('')
}

function phrase(tokens: readonly Token[]): string {
  return oneLine(decodeWords(tokens.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join('')))
}

function commentText(comment: string): string {
  return oneLine(decodeWords(comment))
}
