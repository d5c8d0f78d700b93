/**
 * Selectors, read into a form that can be tried on an element while its page is still being read.
 *
 * INVARIANT: never throws, bounded in depth. A selector that browsers refuse gives none, as the whole rule is then
 * dropped; what only they can decide (`:last-child`, `:has(…)`) is kept as `maybe`.
 */
import { splitTopLevel, unescapeCss } from './scan.ts'

export interface AttributeTest {
  readonly name: string
  readonly operator: '' | '=' | '~=' | '|=' | '^=' | '$=' | '*='
  readonly value: string
  readonly ignoreCase: boolean
}

export type Pseudo =
  | { readonly kind: 'maybe' | 'never' | 'root' | 'link' | 'checked' }
  | { readonly kind: 'nth'; readonly ofType: boolean; readonly step: number; readonly offset: number }
  | { readonly kind: 'is' | 'not'; readonly of: readonly Selector[] }

export interface Compound {
  readonly tag: string | undefined
  readonly ids: readonly string[]
  readonly classes: readonly string[]
  readonly attributes: readonly AttributeTest[]
  readonly pseudos: readonly Pseudo[]
}

export type Combinator = ' ' | '>' | '+' | '~'

/** `steps[0]` is the element itself, each next one stands in relation `combinator` before it. */
export interface Selector {
  readonly steps: readonly { readonly compound: Compound; readonly combinator: Combinator | undefined }[]
  readonly specificity: number
  /** It selects not the element but the text put before or after what it holds. */
  readonly generates: Generated | undefined
}

export type Generated = 'before' | 'after'

const MAX_SELECTORS = 200
const MAX_STEPS = 12
const MAX_LENGTH = 4000
const MAX_NESTING = 3

/** A selector list. Pseudo-elements select no element: they are left out. */
export function parseSelectors(text: string, nesting = 0, forgiving = false): Selector[] {
  return parseRuleSelectors(text, nesting, forgiving).filter(({ generates }) => generates === undefined)
}

/** With those of generated text. One that browsers refuse spoils the list, unless that is `forgiving`. */
export function parseRuleSelectors(text: string, nesting = 0, forgiving = false): Selector[] {
  if (text.length > MAX_LENGTH || nesting > MAX_NESTING) return [ANYTHING]
  const found: Selector[] = []
  for (const part of splitTopLevel(text, ',').slice(0, MAX_SELECTORS)) {
    const selector = parseSelector(part.trim(), nesting)
    if (selector === 'invalid' && !forgiving) return []
    if (typeof selector !== 'string') found.push(selector)
  }
  return found
}

const PERHAPS: Compound = { tag: undefined, ids: [], classes: [], attributes: [], pseudos: [{ kind: 'maybe' }] }
/** Stands for what is too long to read. */
const ANYTHING: Selector = {
  steps: [{ compound: PERHAPS, combinator: undefined }],
  specificity: 0,
  generates: undefined,
}

/** The same, for a rule of which it is not known whether it applies. */
export function perhapsOnly(selector: Selector): Selector {
  const [first, ...others] = selector.steps
  if (first === undefined) return selector
  const compound = { ...first.compound, pseudos: [...first.compound.pseudos, { kind: 'maybe' as const }] }
  return { ...selector, steps: [{ ...first, compound }, ...others] }
}

interface Draft {
  tag: string | undefined
  ids: string[]
  classes: string[]
  attributes: AttributeTest[]
  pseudos: Pseudo[]
  generates: Generated | undefined
}

function parseSelector(text: string, nesting: number): Selector | 'invalid' | 'pseudo-element' {
  const compounds: { compound: Draft; combinator: Combinator | undefined }[] = []
  let at = 0
  let combinator: Combinator | undefined
  while (at < text.length) {
    const draft: Draft = { tag: undefined, ids: [], classes: [], attributes: [], pseudos: [], generates: undefined }
    const end = readCompound(text, at, draft, nesting)
    if (typeof end === 'string') return end
    if (end === at) return 'invalid'
    if (draft.generates !== undefined && end < text.length) return 'pseudo-element'
    compounds.push({ compound: draft, combinator })
    const next = /^\s*([>+~]?)\s*/.exec(text.slice(end, end + 200))
    at = end + (next?.[0].length ?? 0)
    combinator = next?.[1] === '' || next?.[1] === undefined ? ' ' : (next[1] as Combinator)
    if (at >= text.length && next?.[1] !== '' && next?.[1] !== undefined) return 'invalid'
  }
  return compounds.length === 0 ? 'invalid' : finish(compounds)
}

function finish(compounds: { compound: Draft; combinator: Combinator | undefined }[]): Selector {
  let specificity = 0
  for (const { compound } of compounds) {
    specificity += compound.ids.length * 10_000 + (compound.tag === undefined ? 0 : 1)
    specificity += (compound.classes.length + compound.attributes.length) * 100
    for (const pseudo of compound.pseudos) {
      const inner = pseudo.kind === 'is' || pseudo.kind === 'not' ? pseudo.of.map((of) => of.specificity) : [100]
      specificity += Math.max(0, ...inner)
    }
  }
  const steps = compounds.toReversed()
  const generates = steps[0]?.compound.generates
  if (steps.length <= MAX_STEPS) return { specificity, steps, generates }
  return { specificity, generates, steps: [...steps.slice(0, MAX_STEPS), { compound: PERHAPS, combinator: undefined }] }
}

const NAME = /^(?:[\w\u0080-\uFFFF-]|\\[0-9a-f]{1,6}\s?|\\[^\n])+/i

function readName(text: string, at: number): { name: string; end: number } | undefined {
  const match = NAME.exec(text.slice(at, at + 300))
  return match === null ? undefined : { name: unescapeCss(match[0]), end: at + match[0].length }
}

/** Where the compound ends, or why there is none. */
function readCompound(
  text: string,
  start: number,
  draft: Draft,
  nesting: number,
): number | 'invalid' | 'pseudo-element' {
  let at = start
  while (at < text.length) {
    const char = text[at] ?? ''
    if (char === '*' || (char === '|' && at + 1 < text.length)) {
      at++
    } else if (char === '.' || char === '#') {
      const found = readName(text, at + 1)
      if (found === undefined) return 'invalid'
      ;(char === '.' ? draft.classes : draft.ids).push(found.name)
      at = found.end
    } else if (char === '[') {
      const end = text.indexOf(']', at)
      const test = end === -1 ? undefined : parseAttribute(text.slice(at + 1, end))
      if (test === undefined) return 'invalid'
      draft.attributes.push(test)
      at = end + 1
    } else if (char === ':') {
      const end = readPseudo(text, at, draft, nesting)
      if (typeof end === 'string') return end
      at = end
    } else {
      const found = at === start || text[at - 1] === '|' ? readName(text, at) : undefined
      if (found === undefined) return /[\s>+~]/.test(char) ? at : 'invalid'
      draft.tag = found.name.toLowerCase()
      at = found.end
    }
  }
  return at
}

function parseAttribute(text: string): AttributeTest | undefined {
  const match =
    /^\s*(?:[\w-]*\|)?([\w\u0080-\uFFFF-]+)\s*(?:([~|^$*]?=)\s*("[^"]*"|'[^']*'|[^\s"']+)\s*([is])?\s*)?$/i.exec(
      unescapeCss(text),
    )
  if (match === null) return undefined
  const value = (match[3] ?? '').replace(/^["']|["']$/g, '')
  return {
    name: (match[1] ?? '').toLowerCase(),
    operator: (match[2] ?? '') as AttributeTest['operator'],
    value,
    ignoreCase: match[4]?.toLowerCase() === 'i',
  }
}

const PSEUDO_ELEMENTS = new Set(['first-line', 'first-letter'])
/** What depends on the reader's hand, or on something mail cannot have. */
const NEVER = new Set(
  'hover,active,focus,focus-within,focus-visible,target,visited,empty,host,fullscreen,popover-open,modal,playing'.split(
    ',',
  ),
)

function readPseudo(text: string, start: number, draft: Draft, nesting: number): number | 'invalid' | 'pseudo-element' {
  const doubled = text[start + 1] === ':'
  const found = readName(text, start + (doubled ? 2 : 1))
  if (found === undefined) return 'invalid'
  const name = found.name.toLowerCase()
  if (name === 'before' || name === 'after') {
    draft.generates = name
    return found.end
  }
  if (doubled || PSEUDO_ELEMENTS.has(name)) return 'pseudo-element'
  if (text[found.end] !== '(') {
    const plain = plainPseudo(name)
    if (plain === undefined) return 'invalid'
    draft.pseudos.push(plain)
    return found.end
  }
  const close = closingBracket(text, found.end)
  if (close === -1) return 'invalid'
  const functional = functionalPseudo(name, text.slice(found.end + 1, close).trim(), nesting)
  if (functional === undefined) return 'invalid'
  draft.pseudos.push(functional)
  return close + 1
}

/** What only a browser that has all of the page can decide. */
const UNDECIDED = new Set(
  (
    'last-child last-of-type only-child only-of-type enabled disabled required optional valid invalid in-range out-of-range ' +
    'read-only read-write indeterminate default placeholder-shown autofill defined blank user-valid user-invalid open ' +
    'closed target-within local-link current past future paused muted seeking buffering stalled first left right ' +
    'has nth-last-child nth-last-of-type lang dir host host-context state matches any active-view-transition-type'
  ).split(' '),
)

/** Those of one browser may hold in it; a name that nobody knows makes the rule void. */
function undecided(name: string): Pseudo | undefined {
  return UNDECIDED.has(name) || name.startsWith('-') ? { kind: 'maybe' } : undefined
}

function plainPseudo(name: string): Pseudo | undefined {
  if (NEVER.has(name)) return { kind: 'never' }
  switch (name) {
    case 'root':
    case 'scope':
      return { kind: 'root' }
    case 'link':
    case 'any-link':
    case '-webkit-any-link':
      return { kind: 'link' }
    case 'checked':
      return { kind: 'checked' }
    case 'first-child':
      return { kind: 'nth', ofType: false, step: 0, offset: 1 }
    case 'first-of-type':
      return { kind: 'nth', ofType: true, step: 0, offset: 1 }
    default:
      return undecided(name)
  }
}

function functionalPseudo(name: string, inside: string, nesting: number): Pseudo | undefined {
  switch (name) {
    case 'is':
    case 'where':
    case 'matches':
    case '-webkit-any':
    case '-moz-any':
      return { kind: 'is', of: parseSelectors(inside, nesting + 1, true) }
    case 'not':
      return { kind: 'not', of: parseSelectors(inside, nesting + 1) }
    case 'nth-child':
    case 'nth-of-type':
      return parseNth(inside.toLowerCase(), name === 'nth-of-type')
    default:
      return undecided(name)
  }
}

function parseNth(text: string, ofType: boolean): Pseudo {
  if (text === 'odd') return { kind: 'nth', ofType, step: 2, offset: 1 }
  if (text === 'even') return { kind: 'nth', ofType, step: 2, offset: 0 }
  const match = /^(?:([+-]?\d{0,6})n)?\s*([+-]?)\s*(\d{1,6})?$/.exec(text)
  if (match === null || text === '') return { kind: 'maybe' }
  const step =
    match[1] === undefined ? 0 : match[1] === '' || match[1] === '+' ? 1 : match[1] === '-' ? -1 : Number(match[1])
  return { kind: 'nth', ofType, step, offset: Number(`${match[2] ?? ''}${match[3] ?? '0'}`) }
}

function closingBracket(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return at
  }
  return -1
}
