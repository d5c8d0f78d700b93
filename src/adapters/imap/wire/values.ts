/**
 * Reads the values of an answer: atoms, strings, literals and nested lists.
 *
 * INVARIANT: linear in the length of the answer, no recursion, nesting and number of values bounded; the only thing thrown
 * is the protocol failure.
 */
import { protocolFailure } from '../failures.ts'
import type { Frame } from './frames.ts'
import type { Value } from './value.ts'

const MAX_DEPTH = 500
/** Each takes far more memory than its two bytes on the wire. */
const MAX_VALUES = 1_000_000
const NAMES_SECTION = /^(?:BODY|BINARY|BINARY\.SIZE)$/i
const AFTER_LITERAL = new Set([' ', ')', ''])
const QUOTE = 0x22
const OPEN = 0x28
const CLOSE = 0x29
const BLANK = 0x20
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const OFFSET = /^<[0-9]{1,10}>/

/** The values of a frame from that place of its first segment on. */
export function readValues({ segments, literals }: Frame, from: number): Value[] {
  const lists = new OpenLists()
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index] ?? ''
    if (index > 0 && !AFTER_LITERAL.has(segment.charAt(0))) throw protocolFailure('a literal longer than announced')
    readSegment(segment, index === 0 ? from : 0, lists)
    const literal = literals[index]
    if (literal !== undefined) lists.add({ kind: 'string', bytes: literal })
  }
  return lists.finish()
}

function readSegment(text: string, from: number, lists: OpenLists): void {
  for (let at = from; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = readQuoted(text, at, lists)
    else if (code === OPEN) at = lists.open(at)
    else if (code === CLOSE) at = lists.close(at)
    else if (code === BLANK) at += 1
    else at = readAtom(text, at, lists)
  }
}

function readQuoted(text: string, start: number, lists: OpenLists): number {
  const end = quoteEnd(text, start + 1)
  const content = text.slice(start + 1, end)
  const plain = content.includes('\\') ? content.replace(/\\(.)/gs, '$1') : content
  lists.add({ kind: 'quoted', text: plain })
  return end + 1
}

function quoteEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  throw protocolFailure('a quoted string without an end')
}

function readAtom(text: string, start: number, lists: OpenLists): number {
  let end = start
  for (let code = text.charCodeAt(end); end < text.length && isAtomChar(code); code = text.charCodeAt(end)) {
    // `BODY[HEADER.FIELDS (DATE FROM)]<0>` is one word although it holds blanks.
    if (code === BRACKET && end - start <= 11 && NAMES_SECTION.test(text.slice(start, end))) {
      end = sectionEnd(text, end)
      break
    }
    end += 1
  }
  if (end === start) throw protocolFailure('a control character')
  const atom = text.slice(start, end)
  lists.add(atom.length === 3 && atom.toUpperCase() === 'NIL' ? { kind: 'nil' } : { kind: 'atom', text: atom })
  return end
}

function sectionEnd(text: string, bracket: number): number {
  const close = text.indexOf(']', bracket)
  if (close !== -1 && !text.slice(bracket, close).includes('"')) return behindOffset(text, close)
  for (let at = bracket; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = quoteEnd(text, at + 1)
    else if (char === ']') return behindOffset(text, at)
  }
  throw protocolFailure('a section without an end')
}

function behindOffset(text: string, close: number): number {
  return close + 1 + (OFFSET.exec(text.slice(close + 1, close + 13))?.[0].length ?? 0)
}

/** Not a blank, parenthesis, quote or control character. Bytes above ASCII are let through: servers do send them. */
function isAtomChar(code: number): boolean {
  return code > 0x20 && code !== 0x7f && code !== QUOTE && code !== OPEN && code !== CLOSE
}

/** The lists that are open at some place of an answer, the outermost first. */
class OpenLists {
  readonly #stack: Value[][] = [[]]
  #count = 0

  add(value: Value): void {
    this.#count += 1
    if (this.#count > MAX_VALUES) throw protocolFailure('an answer of more values than any that was asked for')
    this.#stack.at(-1)?.push(value)
  }

  /** Both go on behind the parenthesis. */
  open(at: number): number {
    if (this.#stack.length > MAX_DEPTH) throw protocolFailure('lists nested too deeply')
    this.#stack.push([])
    return at + 1
  }

  close(at: number): number {
    const items = this.#stack.pop()
    if (items === undefined || this.#stack.length === 0) throw protocolFailure('a list that ends before it begins')
    this.add({ kind: 'list', items })
    return at + 1
  }

  finish(): Value[] {
    const [values] = this.#stack
    if (values === undefined || this.#stack.length > 1) throw protocolFailure('a list without an end')
    return values
  }
}
