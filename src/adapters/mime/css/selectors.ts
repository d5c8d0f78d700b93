/**
 * Selectors, as far as ordinary mail uses them.
 *
 * INVARIANT: never throws, bounded in depth. A list that Chromium surely refuses gives none, as the whole rule is then
 * dropped. With anything that is not read the list is `unsure`: the rule may or may not apply to what the parts that are
 * read allow, and what it weighs is not known.
 */
import {
  ANYTHING,
  type AttributeTest,
  type Combinator,
  type Nth,
  type PlainPseudo,
  type Pseudo,
  type Selector,
  specificity,
  sum,
} from './selector-parts.ts'
import { lowerAscii, type Token, type Tokens } from './tokens.ts'

export interface SelectorList {
  readonly selectors: readonly Selector[]
  readonly unsure: boolean
}

const INVALID = undefined
const MAX_DEPTH = 8
const MAX_STEPS = 40
const MAX_PER_LIST = 1000

/** The list between two places of the tokens. A relative one may start with a combinator. */
export function readSelectors(tokens: Tokens, from: number, to: number, isRelative: boolean): SelectorList | undefined {
  const reader = new SelectorReader(tokens)
  const selectors = reader.list(from, to, 0, isRelative)
  return selectors === INVALID ? INVALID : { selectors, unsure: reader.unsure }
}

interface Draft {
  type: string | undefined
  ids: string[]
  classes: string[]
  attributes: AttributeTest[]
  pseudos: Pseudo[]
  pseudo: string | undefined
  specificity: number
}

class SelectorReader {
  readonly #tokens: Tokens
  readonly #list: readonly Token[]
  #at = 0
  unsure = false

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#list = tokens.list
  }

  list(from: number, to: number, depth: number, isRelative = false): readonly Selector[] | undefined {
    const found: Selector[] = []
    for (let start = from; start <= to; ) {
      const end = this.#comma(start, to)
      if (depth > MAX_DEPTH || found.length > MAX_PER_LIST) return [this.#giveUp()]
      this.#at = start
      const leading = this.#combinator(end) ?? ' '
      const selector = leading === ' ' || isRelative ? this.#steps(end, depth) : INVALID
      if (selector === INVALID) return INVALID
      found.push(selector)
      start = end + 1
    }
    return found
  }

  #giveUp(): Selector {
    this.unsure = true
    return ANYTHING
  }

  #comma(from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const other = this.#tokens.pair[at] ?? -1
      if (other > at) at = other
      else if (this.#list[at]?.kind === 'comma') return at
    }
    return to
  }

  #steps(to: number, depth: number): Selector | undefined {
    const drafts: { draft: Draft; combinator: Combinator | undefined }[] = []
    while (this.#at < to) {
      const draft = this.#compound(to, depth)
      if (draft === INVALID) return INVALID
      const combinator = this.#combinator(to)
      drafts.push({ draft, combinator })
      if (combinator !== undefined && draft.pseudo !== undefined) this.#unread(draft)
      if (drafts.length > MAX_STEPS) return this.#giveUp()
    }
    return drafts.length === 0 || drafts.at(-1)?.combinator !== undefined ? INVALID : finished(drafts)
  }

  /** White space before a combinator, around it and at the end is none. */
  #combinator(to: number): Combinator | undefined {
    let found: Combinator | undefined
    while (this.#at < to) {
      const token = this.#list[this.#at]
      if (token?.kind === 'space') found ??= ' '
      else if (token?.kind === 'delim' && isCombinator(token.text) && (found === undefined || found === ' '))
        found = token.text
      else return found
      this.#at++
    }
    return found === ' ' ? undefined : found
  }

  #compound(to: number, depth: number): Draft | undefined {
    const draft: Draft = {
      type: undefined,
      ids: [],
      classes: [],
      attributes: [],
      pseudos: [],
      pseudo: undefined,
      specificity: 0,
    }
    const start = this.#at
    while (this.#at < to) {
      const token = this.#list[this.#at]
      if (token === undefined || token.kind === 'space' || (token.kind === 'delim' && isCombinator(token.text))) break
      if (draft.pseudo !== undefined) this.#unread(draft)
      if (!this.#simple(token, draft, this.#at === start, to, depth)) return INVALID
    }
    return this.#at > start ? draft : INVALID
  }

  /** A part that is not read may be anything. */
  #unread(draft: Draft): true {
    this.unsure = true
    draft.pseudos.push({ kind: 'maybe' })
    return true
  }

  #simple(token: Token, draft: Draft, isFirst: boolean, to: number, depth: number): boolean {
    const { kind, text } = token
    this.#at++
    if (kind === 'ident' && isFirst) {
      draft.type = text
      return weigh(draft, specificity(0, 0, 1))
    }
    if (kind === 'hash' && token.isId === true) {
      draft.ids.push(text)
      return weigh(draft, specificity(1, 0, 0))
    }
    if (kind === '[') return this.#attribute(draft)
    if (kind === 'colon') return this.#pseudo(draft, to, depth)
    if (kind !== 'delim') return false
    if (text === '.') return this.#class(draft, to)
    if (text === '|' || text === '&') return this.#unreadName(draft, to)
    return text === '*' && isFirst
  }

  #class(draft: Draft, to: number): boolean {
    const name = this.#at < to ? this.#list[this.#at++] : undefined
    if (name?.kind !== 'ident') return false
    draft.classes.push(name.text)
    return weigh(draft, specificity(0, 1, 0))
  }

  /** Namespaces and nesting: names before and after their sign may be anything. */
  #unreadName(draft: Draft, to: number): true {
    const next = this.#list[this.#at]
    if (this.#at < to && (next?.kind === 'ident' || next?.text === '*')) this.#at++
    draft.type = undefined
    return this.#unread(draft)
  }

  #attribute(draft: Draft): true {
    const close = this.#tokens.pair[this.#at - 1] ?? -1
    const test = attributeTest(this.#list.slice(this.#at, close))
    this.#at = close + 1
    if (test === undefined) return this.#unread(draft)
    draft.attributes.push(test)
    return weigh(draft, specificity(0, 1, 0))
  }

  #pseudo(draft: Draft, to: number, depth: number): boolean {
    const isDoubled = this.#list[this.#at]?.kind === 'colon'
    const place = isDoubled ? this.#at + 1 : this.#at
    const token = place < to ? this.#list[place] : undefined
    if (token?.kind !== 'ident' && token?.kind !== 'function') return false
    const name = lowerAscii(token.text)
    const close = token.kind === 'function' ? (this.#tokens.pair[place] ?? place) : place
    const isElement = isDoubled || (LEGACY.test(name) && token.kind === 'ident')
    this.#at = close + 1
    if (FOREIGN.test(name)) return false
    if (isElement) return this.#pseudoElement(name, token.kind, draft, depth)
    if (token.kind === 'ident') return this.#pseudoClass(PSEUDOS.get(name), draft)
    if (name === 'not') return this.#not(place + 1, close, draft, depth)
    const nth = nthOf(name, this.#list.slice(place + 1, close))
    return nth === undefined ? this.#unread(draft) : this.#counted(nth, draft)
  }

  #pseudoElement(name: string, kind: string, draft: Draft, depth: number): true {
    if (depth > 0 || kind === 'function' || !ELEMENTS.test(name)) this.#unread(draft)
    draft.pseudo ??= name
    return weigh(draft, specificity(0, 0, 1))
  }

  #pseudoClass(kind: PlainPseudo | undefined, draft: Draft): true {
    if (kind === undefined) return this.#unread(draft)
    draft.pseudos.push({ kind })
    return weigh(draft, specificity(0, 1, 0))
  }

  #counted(nth: Nth, draft: Draft): true {
    draft.pseudos.push(nth)
    return weigh(draft, specificity(0, 1, 0))
  }

  #not(from: number, to: number, draft: Draft, depth: number): boolean {
    const of = this.list(from, to, depth + 1)
    this.#at = to + 1
    if (of === INVALID) return false
    draft.pseudos.push({ kind: 'not', of })
    return weigh(draft, Math.max(...of.map((each) => each.specificity)))
  }
}

const LEGACY = /^(?:before|after|first-line|first-letter)$/
const ELEMENTS = /^(?:before|after|first-line|first-letter|marker|selection|placeholder|-webkit-.*)$/
const FOREIGN = /^-(?:moz|ms|o|khtml|apple|epub)-/
const NTH = /^nth-(last-)?(child|of-type)$/
const KINDS: readonly (readonly [PlainPseudo, string])[] = [
  ['root', 'root'],
  ['empty', 'empty'],
  ['first', 'first-child'],
  ['last', 'last-child'],
  ['link', 'link any-link'],
  ['never', 'visited hover active target'],
  ['focus', 'focus focus-within focus-visible'],
  ['maybe', 'checked disabled only-child first-of-type last-of-type'],
]
const PSEUDOS = new Map(KINDS.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)))

function weigh(draft: Draft, weight: number): true {
  draft.specificity = sum(draft.specificity, weight)
  return true
}

const STEP = /^(?:ident (odd|even|n)|number (\d{1,9})|dimension (\d{1,9})n(?:,number ([+-]\d{1,9}))?)$/

/** `:nth-child(2)`, `:nth-of-type(odd)`, `:nth-child(3n+1)`; other forms are not read. */
function nthOf(name: string, inside: readonly Token[]): Nth | undefined {
  const [matches, last, of] = NTH.exec(name) ?? []
  const text = inside.map(({ kind, text, unit = '' }) => `${kind} ${lowerAscii(text)}${unit}`).join()
  const [isRead, word, place, step, offset = '0'] = STEP.exec(text) ?? []
  if (matches === undefined || isRead === undefined) return undefined
  const every = { odd: [2, 1], even: [2, 0], n: [1, 0] }[word ?? ''] ?? [Number(step ?? 0), Number(place ?? offset)]
  const [by = 0, from = 0] = every
  return { kind: 'nth', step: by, offset: from, isFromEnd: last !== undefined, isOfType: of === 'of-type' }
}

/** `name`, `name=value` or `name~="value"`; nothing else is read. */
function attributeTest(inside: readonly Token[]): AttributeTest | undefined {
  const isSign = ({ kind, text }: Token, signs: string): boolean => kind === 'delim' && signs.includes(text)
  const equals = inside.findIndex((token) => isSign(token, '='))
  const sign = inside[equals - 1]?.kind === 'delim' ? inside[equals - 1] : undefined
  const before = inside
    .slice(0, equals === -1 ? inside.length : equals - (sign === undefined ? 0 : 1))
    .filter(isNoSpace)
  const after = equals === -1 ? [] : inside.slice(equals + 1).filter(isNoSpace)
  const [name] = before
  const [value] = after
  if (name?.kind !== 'ident' || before.length !== 1) return undefined
  if (equals === -1) return { name: name.text, operator: '', value: '' }
  if (after.length !== 1 || (value?.kind !== 'ident' && value?.kind !== 'string')) return undefined
  if (sign !== undefined && !isSign(sign, '~|^$*')) return undefined
  return { name: name.text, operator: sign?.text ?? '=', value: value.text }
}

function isNoSpace({ kind }: Token): boolean {
  return kind !== 'space'
}

function isCombinator(sign: string): sign is Combinator {
  return sign === '>' || sign === '+' || sign === '~'
}

function finished(drafts: readonly { draft: Draft; combinator: Combinator | undefined }[]): Selector {
  let total = 0
  for (const { draft } of drafts) total = sum(total, draft.specificity)
  const steps = drafts
    .map(({ draft }, at) => ({ compound: draft, combinator: at === 0 ? undefined : drafts[at - 1]?.combinator }))
    .toReversed()
  return { steps, specificity: total, pseudo: drafts.at(-1)?.draft.pseudo }
}
