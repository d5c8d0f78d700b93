/**
 * BODYSTRUCTURE as most messages have it, read straight from the text: a mirror reads hundred thousands of them.
 *
 * INVARIANT: gives what `readStructure` gives for the same text, or undefined, also where that would give something: strings
 * in quotes of plain ASCII, parts in parts, no messages in messages, few of everything.
 */
import type { Part } from '../../../core/message.ts'
import { plainParameters } from '../structure.ts'

const MOST_PARTS = 30
const MOST_DEPTH = 8

const WORD = String.raw`"([\w.+-]{1,100})"`
const QUOTED = String.raw`"[ !#-\[\]-~]{0,200}"`
const MAYBE = `(NIL|${QUOTED})`
const PARAMETERS = String.raw`(NIL|\(${QUOTED}(?: ${QUOTED}){1,15}\))`
const DISPOSITION = String.raw`(?:NIL|\(${WORD} ${PARAMETERS}\))`
const REST = String.raw`(?: NIL){0,2}\)`
const LEAF = new RegExp(
  String.raw`\(${WORD} ${WORD} ${PARAMETERS} ${MAYBE} ${MAYBE} ${WORD} (\d{1,15})( \d{1,15})?(?: (?:NIL|${QUOTED})(?: ${DISPOSITION}${REST}|\))|\))`,
  'y',
)
const MULTIPART_END = new RegExp(String.raw` ${WORD}(?: ${PARAMETERS}(?: ${DISPOSITION}${REST}|\))|\))`, 'y')
const OPEN = 0x28
/** A text that has neither id nor description, up to its size; and the rest of one that has no disposition either. */
const TEXT_HEAD = new RegExp(String.raw`\("text" ${WORD} ${PARAMETERS} NIL NIL ${WORD} `, 'iy')
const TEXT_REST = /(\d{1,15}) \d{1,15}(?: NIL){1,4}\)/y

export class UsualStructure {
  readonly #text: string
  #at: number
  #parts = 0

  constructor(text: string, from: number) {
    this.#text = text
    this.#at = from
  }

  /** Behind what was read. */
  get end(): number {
    return this.#at
  }

  read(): Part | undefined {
    return this.#body('', '1', '', 0)
  }

  #body(multipart: string, single: string, inside: string, depth: number): Part | undefined {
    this.#parts += 1
    if (this.#parts > MOST_PARTS || depth > MOST_DEPTH) return undefined
    return this.#text.charCodeAt(this.#at + 1) === OPEN ? this.#multipart(multipart, inside, depth) : this.#leaf(single)
  }

  #multipart(id: string, inside: string, depth: number): Part | undefined {
    const children: Part[] = []
    this.#at += 1
    while (this.#text.charCodeAt(this.#at) === OPEN) {
      const its = `${inside}${children.length + 1}`
      const child = this.#body(its, its, `${its}.`, depth + 1)
      if (child === undefined) return undefined
      children.push(child)
    }
    const found = this.#match(MULTIPART_END)
    const parameters = found && parametersIn(found[2])
    const named = found && parametersIn(found[4])
    if (parameters === undefined || named === undefined) return undefined
    return {
      id,
      type: `multipart/${found?.[1]?.toLowerCase()}`,
      parameters,
      disposition: found?.[3]?.toLowerCase(),
      filename: named['filename'] ?? parameters['name'],
      contentId: undefined,
      encoding: '7bit',
      size: 0,
      children,
    }
  }

  #leaf(id: string): Part | undefined {
    const from = this.#at
    const known = this.#knownText(id)
    if (known !== undefined) return known
    const leaf = this.#anyLeaf(id)
    if (leaf !== undefined) remember(leaf, this.#text, from)
    return leaf
  }

  #knownText(id: string): Part | undefined {
    const known = TEXTS.find(({ head }) => this.#text.startsWith(head, this.#at))
    if (known === undefined) return undefined
    const { type, parameters, encoding } = known.like
    TEXT_REST.lastIndex = this.#at + known.head.length
    const size = TEXT_REST.exec(this.#text)?.[1]
    if (size === undefined) return undefined
    this.#at = TEXT_REST.lastIndex
    return {
      id,
      type,
      parameters,
      disposition: undefined,
      filename: parameters['name'],
      contentId: undefined,
      encoding,
      size: Number(size),
      children: [],
    }
  }

  #anyLeaf(id: string): Part | undefined {
    const found = this.#match(LEAF)
    if (found === undefined) return undefined
    const [, kind = '', subtype = '', written, contentId = '', description = '', encoding = '', size, lines] = found
    const type = `${kind}/${subtype}`.toLowerCase()
    // A message has more fields, and only a text says how many lines it has.
    if (type === 'message/rfc822' || type.startsWith('text/') !== (lines !== undefined)) return undefined
    const [parameters, named] = [parametersIn(written), parametersIn(found[10])]
    if (parameters === undefined || named === undefined) return undefined
    return {
      id,
      type,
      parameters,
      disposition: found[9]?.toLowerCase(),
      filename: named['filename'] ?? parameters['name'],
      contentId: contentId === 'NIL' ? undefined : unquoted(contentId).trim().replace(/^<|>$/g, '') || undefined,
      encoding: encoding.toLowerCase(),
      size: Number(size),
      ...(description !== 'NIL' && { description: unquoted(description) }),
      children: [],
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    this.#at = pattern.lastIndex
    return found ?? undefined
  }
}

/** Most texts begin like one of a few. */
const TEXTS: { readonly head: string; readonly like: Part }[] = []
const MOST_TEXTS = 16
const LONGEST_HEAD = 100

function remember(like: Part, text: string, from: number): void {
  TEXT_HEAD.lastIndex = from
  if (TEXTS.length >= MOST_TEXTS || !like.type.startsWith('text/') || !TEXT_HEAD.test(text)) return
  const head = text.slice(from, TEXT_HEAD.lastIndex)
  if (head.length <= LONGEST_HEAD && TEXTS.every((known) => known.head !== head)) TEXTS.push({ head, like })
}

function unquoted(text: string): string {
  return text.slice(1, -1)
}

const NONE: Readonly<Record<string, string>> = {}
/** Most parts have the same few, such as the charset. */
const KNOWN = new Map<string, Readonly<Record<string, string>>>()
const MOST_KNOWN = 200
const LONGEST_KNOWN = 40

/** Undefined where one may need decoding. */
function parametersIn(text = 'NIL'): Readonly<Record<string, string>> | undefined {
  if (text === 'NIL') return NONE
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const parameters = plainParameters(textsIn(text))
  if (parameters !== undefined && KNOWN.size < MOST_KNOWN && text.length < LONGEST_KNOWN) KNOWN.set(text, parameters)
  return parameters
}

/** What stands between quotes. Most often that is one name and its value. */
function textsIn(text: string): readonly string[] {
  const name = text.indexOf('"', 2)
  const value = text.indexOf('"', name + 3)
  if (value === text.length - 2) return [text.slice(2, name), text.slice(name + 3, value)]
  return text.split('"').filter((_, at) => at % 2 === 1)
}
