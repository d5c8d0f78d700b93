/**
 * Reads JSON with comments, and says where everything stands in the text.
 *
 * INVARIANT: nothing is evaluated or changed; what is not JSON, comments and trailing commas aside, is refused with its line.
 */
import { Failure } from '../failure.ts'

export type JsonNode = ObjectNode | OtherNode

export interface ObjectNode {
  readonly kind: 'object'
  /** Of the brace, and after the closing one. */
  readonly start: number
  readonly end: number
  readonly members: readonly Member[]
}

export interface OtherNode {
  readonly kind: 'other'
  readonly start: number
  readonly end: number
}

export interface Member {
  readonly key: string
  /** Where the key begins. */
  readonly start: number
  readonly value: JsonNode
  /** Where the comma after it stands, if there is one. */
  readonly comma: number | undefined
}

const DEEPEST = 200
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const BLANK = ' \t\n\r'

export function readJsonc(text: string): JsonNode {
  const reader = new Reader(text)
  // Some editors put a byte order mark first.
  if (text.startsWith('\ufeff')) reader.at = 1
  reader.skip()
  const node = reader.value(0)
  reader.skip()
  if (reader.at < text.length) throw reader.unexpected()
  return node
}

/** Where the blanks and comments that begin at a place end. */
function afterGap(text: string, from: number): number {
  let at = from
  for (;;) {
    while (at < text.length && BLANK.includes(text.charAt(at))) at += 1
    if (text.startsWith('//', at)) at = endOf(text, '\n', at, text.length)
    else if (text.startsWith('/*', at)) {
      const end = endOf(text, '*/', at + 2, at)
      if (end === at) return at
      at = end
    } else return at
  }
}

function endOf(text: string, mark: string, from: number, otherwise: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? otherwise : found + mark.length
}

/** The last of several counts, as programs read it. */
export function memberNamed(node: ObjectNode, key: string): Member | undefined {
  return node.members.findLast((member) => member.key === key)
}

class Reader {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  skip(): void {
    this.at = afterGap(this.#text, this.at)
  }

  value(depth: number): JsonNode {
    if (depth > DEEPEST) throw new Failure('invalid_input', 'the file is nested too deeply to be edited safely')
    const start = this.at
    const first = this.#text[start]
    if (first === '{') return { kind: 'object', start, members: this.#members(depth), end: this.at }
    if (first === '[') this.#items(depth)
    else if (first === '"') this.#string()
    else this.#word()
    return { kind: 'other', start, end: this.at }
  }

  unexpected(): Failure {
    const line = this.#text.slice(0, this.at).split('\n').length
    return new Failure('invalid_input', `line ${line} is not JSON`)
  }

  #members(depth: number): Member[] {
    const members: Member[] = []
    this.at += 1
    for (;;) {
      this.skip()
      if (this.#is('}')) return members
      const start = this.at
      const key = this.#string()
      this.skip()
      if (!this.#is(':')) throw this.unexpected()
      this.skip()
      const value = this.value(depth + 1)
      this.skip()
      const comma = this.at
      const more = this.#is(',')
      members.push({ key, start, value, comma: more ? comma : undefined })
      if (!more && this.#text[this.at] !== '}') throw this.unexpected()
    }
  }

  #items(depth: number): void {
    this.at += 1
    for (;;) {
      this.skip()
      if (this.#is(']')) return
      this.value(depth + 1)
      this.skip()
      if (!this.#is(',') && this.#text[this.at] !== ']') throw this.unexpected()
    }
  }

  #is(character: string): boolean {
    if (this.#text[this.at] !== character) return false
    this.at += 1
    return true
  }

  /** Without an expression: one of a megabyte would be too long for it. */
  #string(): string {
    const start = this.at
    if (!this.#is('"')) throw this.unexpected()
    while (this.at < this.#text.length && this.#text[this.at] !== '"') this.at += this.#text[this.at] === '\\' ? 2 : 1
    this.at += 1
    try {
      return JSON.parse(this.#text.slice(start, this.at)) as string
    } catch {
      this.at = start
      throw this.unexpected()
    }
  }

  #word(): void {
    WORD.lastIndex = this.at
    if (!WORD.test(this.#text)) throw this.unexpected()
    this.at = WORD.lastIndex
  }
}
