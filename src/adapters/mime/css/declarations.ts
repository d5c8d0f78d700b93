/**
 * Where rules and declarations begin and end, with the error recovery of CSS Syntax Level 3 §5 as Chromium has it.
 *
 * INVARIANT: linear, never throws, knows no property: a declaration that no browser could take whatever its property
 * is dropped here, every other one is kept.
 */
import { remembered } from './remembered.ts'
import { lowerAscii, type Token, type Tokens, tokenize } from './tokens.ts'

export interface Declaration {
  /** In ASCII lower case; custom properties as written. */
  readonly name: string
  /** Without leading and trailing space and without comments; a run of white space is one token; brackets are paired. */
  readonly value: readonly Token[]
  readonly important: boolean
}

/** A rule with its block: places in the list of tokens. */
export interface Span {
  readonly start: number
  /** Where its `{` is; for a statement such as `@import "…";` where it ends. */
  readonly open: number
  /** Where its `}` is, or -1 for a statement. */
  readonly close: number
  /** Where the next one starts. */
  readonly next: number
}

// More than any style attribute has.
const MAX_INLINE_TOKENS = 10_000

/** Name of the declaration that replaces an unread rest of a style attribute: anything may apply to the element. */
export const UNREAD = ''

/** The content of a `style` attribute. */
export const inlineDeclarations: (style: string) => readonly Declaration[] = remembered(readInline, 2000, 600)

function readInline(style: string): readonly Declaration[] {
  const tokens = tokenize(style, MAX_INLINE_TOKENS)
  const found: Declaration[] = []
  let at = 0
  while (at < tokens.list.length) {
    const kind = tokens.list[at]?.kind
    if (kind === 'space' || kind === 'semicolon') at++
    else if (kind === 'at') at = ruleAt(tokens, at, tokens.list.length, true).next
    else {
      const end = endOfDeclaration(tokens, at, tokens.list.length)
      const declaration = declarationIn(tokens, at, end)
      if (declaration !== undefined) found.push(declaration)
      at = end + 1
    }
  }
  return tokens.complete ? found : [...found, TOO_LONG]
}

const TOO_LONG: Declaration = { name: UNREAD, value: [], important: true }

/** The `;` that ends what starts at `at`, or `end`. */
export function endOfDeclaration({ list, pair }: Tokens, at: number, end: number): number {
  for (let place = at; place < end; place++) {
    const other = pair[place] ?? -1
    if (other > place) place = other
    else if (list[place]?.kind === 'semicolon') return place
  }
  return end
}

/**
 * Where a declaration inside of a rule ends, or -1 where there is none: without a colon, or with a block in its value,
 * it is read as a nested rule. Stops at the block, so that a row of such rules is not read over and over.
 */
export function endOfNestedDeclaration(tokens: Tokens, at: number, end: number): number {
  const { list, pair } = tokens
  const colon = afterSpace(list, at + 1)
  if (list[at]?.kind !== 'ident' || colon >= end || list[colon]?.kind !== 'colon') return -1
  if (list[at]?.text.startsWith('--')) return endOfDeclaration(tokens, at, end)
  for (let place = colon + 1; place < end; place++) {
    const kind = list[place]?.kind
    const other = pair[place] ?? -1
    if (kind === 'semicolon') return place
    if (kind === '{') {
      const after = afterSpace(list, other + 1)
      const isWhole = place === afterSpace(list, colon + 1) && (after >= end || list[after]?.kind === 'semicolon')
      return isWhole ? Math.min(after, end) : -1
    }
    if (other > place) place = other
  }
  return end
}

/** The at-rule or qualified rule at `at`. A `;` ends at-rules, and nested rules without a block. */
export function ruleAt({ list, pair }: Tokens, at: number, end: number, semicolonEnds: boolean): Span {
  for (let place = at; place < end; place++) {
    const kind = list[place]?.kind
    const other = pair[place] ?? -1
    if (kind === '{' && other > place) return { start: at, open: place, close: other, next: other + 1 }
    if (kind === 'semicolon' && semicolonEnds) return { start: at, open: place, close: -1, next: place + 1 }
    if (other > place) place = other
  }
  return { start: at, open: end, close: -1, next: end }
}

/** `name: value !important`, or undefined if the tokens are no declaration. */
export function declarationIn(tokens: Tokens, start: number, end: number): Declaration | undefined {
  const { list } = tokens
  const name = list[start]
  if (name?.kind !== 'ident') return undefined
  let from = afterSpace(list, start + 1)
  if (from >= end || list[from]?.kind !== 'colon') return undefined
  from = afterSpace(list, from + 1)
  let to = beforeSpace(list, end, from)
  const important = importantAt(list, from, to)
  if (important !== undefined) to = beforeSpace(list, important, from)
  const isCustom = name.text.startsWith('--')
  if (!isPossible(tokens, from, to, isCustom)) return undefined
  return {
    name: isCustom ? name.text : lowerAscii(name.text),
    value: list.slice(from, Math.max(from, to)),
    important: important !== undefined,
  }
}

function importantAt(list: readonly Token[], from: number, to: number): number | undefined {
  const last = list[to - 1]
  if (last?.kind !== 'ident' || lowerAscii(last.text) !== 'important') return undefined
  const mark = beforeSpace(list, to - 1, from) - 1
  return mark >= from && list[mark]?.kind === 'delim' && list[mark]?.text === '!' ? mark : undefined
}

/** Broken strings and addresses and stray brackets spoil every value; `{…}` may only be all of one that has `var()`. */
function isPossible({ list, pair }: Tokens, from: number, to: number, isCustom: boolean): boolean {
  let depth = 0
  for (let at = from; at < to; at++) {
    const { kind, text } = list[at] ?? { kind: 'space', text: '' }
    const other = pair[at] ?? -1
    if (kind === 'bad-string' || kind === 'bad-url') return false
    if (other === -1 && (kind === ')' || kind === ']' || kind === '}')) return false
    if (depth === 0 && kind === 'delim' && text === '!') return false
    if (depth === 0 && kind === '{' && !isCustom && (at !== from || other !== to - 1 || !hasFunction(list, at, to)))
      return false
    if (other > at) depth++
    else if (other !== -1) depth--
  }
  return true
}

function hasFunction(list: readonly Token[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (list[at]?.kind === 'function') return true
  return false
}

export function afterSpace(list: readonly Token[], at: number): number {
  return list[at]?.kind === 'space' ? at + 1 : at
}

function beforeSpace(list: readonly Token[], end: number, from: number): number {
  return end > from && list[end - 1]?.kind === 'space' ? end - 1 : end
}
