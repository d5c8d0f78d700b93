/**
 * Whether `@media` and `@supports` conditions hold for the reference reader: a screen, a window 600 px wide, the light
 * scheme, in Chromium.
 *
 * INVARIANT: linear, never throws. Read is what ordinary mail asks for; any other spelling may hold or not.
 */
import { type Answer, both, either, MAYBE, NO, opposite, YES } from './three-valued.ts'
import { lowerAscii, type Token, type Tokens, tokenize } from './tokens.ts'

export interface Condition {
  readonly here: Answer
  /** The same where neither the window's width nor the colour scheme is known. */
  readonly anywhere: Answer
}

export const ALWAYS: Condition = { here: YES, anywhere: YES }
const NEVER: Condition = { here: NO, anywhere: NO }
export const PERHAPS: Condition = { here: MAYBE, anywhere: MAYBE }

interface Reader {
  readonly minWidth: number
  readonly maxWidth: number
  readonly light: Answer
}

const HERE: Reader = { minWidth: 600, maxWidth: 600, light: YES }
const ANYWHERE: Reader = { minWidth: 0, maxWidth: Number.POSITIVE_INFINITY, light: MAYBE }

/** The `media` attribute: `mediaCondition('screen and (max-width: 480px)')`. */
export function mediaCondition(text: string): Condition {
  const tokens = tokenize(text, 2000)
  return tokens.complete ? mediaBetween(tokens, 0, tokens.list.length) : PERHAPS
}

export function mediaBetween(tokens: Tokens, from: number, to: number): Condition {
  const queries = splitAtCommas(tokens, from, to).map(textOf)
  if (queries.length === 1 && queries[0] === '') return ALWAYS
  const answer = (reader: Reader): Answer => queries.map((query) => queryAnswer(query, reader)).reduce(either, NO)
  return { here: answer(HERE), anywhere: answer(ANYWHERE) }
}

const SUPPORTED =
  /^(not )?\( ?(?:display ?: ?(?:block|inline-block|none|flex|grid|table)|position ?: ?(?:relative|absolute)) ?\)$/

export function supportsBetween({ list }: Tokens, from: number, to: number): Condition {
  const [isRead, not] = SUPPORTED.exec(textOf(list.slice(from, to))) ?? []
  if (isRead === undefined) return PERHAPS
  return not === undefined ? ALWAYS : NEVER
}

export function allOf(a: Condition, b: Condition): Condition {
  return { here: both(a.here, b.here), anywhere: both(a.anywhere, b.anywhere) }
}

function splitAtCommas({ list, pair }: Tokens, from: number, to: number): Token[][] {
  const parts: Token[][] = [[]]
  for (let at = from, close = -1; at < to; at++) {
    const token = list[at]
    if (token?.kind === 'comma' && at > close) parts.push([])
    else if (token !== undefined) parts.at(-1)?.push(token)
    close = Math.max(close, pair[at] ?? -1)
  }
  return parts
}

/** As written, in lower case. `?` stands for what is not read: strings, functions, odd names, words without a space. */
function textOf(tokens: readonly Token[]): string {
  const text = tokens.map((token, at) => (isWord(token) && isWord(tokens[at - 1]) ? '?' : written(token))).join('')
  return text.trim()
}

function isWord(token: Token | undefined): boolean {
  return token?.kind === 'ident' || token?.number !== undefined
}

function written({ kind, text, unit = '' }: Token): string {
  const isRead = kind === 'space' || kind === 'colon' || kind === '(' || kind === ')'
  if (isRead) return text
  const word = lowerAscii(text + unit)
  const isPlain = (kind === 'ident' || kind === 'number' || kind === 'dimension') && /^[\w.-]+$/.test(word)
  return isPlain ? word : '?'
}

const QUERY = /^(?:(only|not) )?([a-z][\w-]*)(?: and ?(\(.*\)))?$/
const FEATURES = /^\([^()]*\)(?: ?and ?\([^()]*\))*$/

function queryAnswer(query: string, reader: Reader): Answer {
  // An empty one between commas is malformed and never holds.
  if (query === '') return NO
  const [, modifier, type, features] = QUERY.exec(query) ?? []
  if (type === undefined) return featuresAnswer(query, reader)
  if (/^(?:not|only|and|or|layer)$/.test(type)) return MAYBE
  const answer = type === 'all' || type === 'screen' ? YES : NO
  if (modifier === 'not') return features === undefined ? opposite(answer) : MAYBE
  return features === undefined ? answer : both(answer, featuresAnswer(features, reader))
}

function featuresAnswer(text: string, reader: Reader): Answer {
  if (!FEATURES.test(text)) return MAYBE
  return [...text.matchAll(/\(([^()]*)\)/g)].map(([, inside = '']) => featureAnswer(inside.trim(), reader)).reduce(both)
}

const WIDTH = /^(min|max)-(device-)?width ?: ?(\d+(?:\.\d+)?)(px|r?em)$/

function featureAnswer(text: string, { minWidth, maxWidth, light }: Reader): Answer {
  const [, bound, device, number, unit] = WIDTH.exec(text) ?? []
  if (bound !== undefined) {
    const limit = Number(number) * (unit === 'px' ? 1 : 16)
    // A window is not wider than its screen.
    const most = device === undefined ? maxWidth : Number.POSITIVE_INFINITY
    if (bound === 'min') return minWidth >= limit ? YES : most < limit ? NO : MAYBE
    return most <= limit ? YES : minWidth > limit ? NO : MAYBE
  }
  if (/^prefers-color-scheme ?: ?light$/.test(text)) return light
  if (/^prefers-color-scheme ?: ?dark$/.test(text)) return opposite(light)
  // Chromium knows no media features of others, but this one of WebKit.
  if (/^(?:min-|max-)?-(?:moz|ms|o)-/.test(text)) return NO
  return /^-webkit-min-device-pixel-ratio ?: ?0$/.test(text) ? YES : MAYBE
}
