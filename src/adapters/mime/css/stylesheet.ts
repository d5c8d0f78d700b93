/**
 * Style sheets: rules in order, with their conditions.
 *
 * INVARIANT: linear in the size of the input, bounded in depth, never throws. What browsers drop is dropped, what they
 * keep is kept. Rules in others, in layers and in at-rules that ordinary mail does not use may or may not apply, and may
 * win over all others: they are uncertain and come last. Where a bound was reached `complete` is false, and nothing can
 * be said of what the sheet does.
 */
import { ALWAYS, allOf, type Condition, mediaBetween, mediaCondition, PERHAPS, supportsBetween } from './conditions.ts'
import {
  afterSpace,
  type Declaration,
  declarationIn,
  endOfDeclaration,
  endOfNestedDeclaration,
  ruleAt,
  type Span,
} from './declarations.ts'
import { ANYTHING, HEAVIEST, type Selector } from './selector-parts.ts'
import { readSelectors } from './selectors.ts'
import { NO } from './three-valued.ts'
import { lowerAscii, MAX_TOKENS, type Token, type Tokens, tokenize } from './tokens.ts'

export interface StyleRule {
  readonly selectors: readonly Selector[]
  readonly declarations: readonly Declaration[]
  readonly condition: Condition
}

export interface Sheet {
  readonly rules: readonly StyleRule[]
  /** Text of comments and of `content`, which no reader is meant to find. */
  readonly asides: readonly string[]
  /** How many places would have loaded something. */
  readonly loads: number
  readonly complete: boolean
  /** The families that `@font-face` defines, in lower case. */
  readonly fonts: ReadonlySet<string>
  /** It imports a sheet that it carries in a `data:` address: anything may apply. */
  readonly unknownContent: boolean
  /** At-rules that change what values mean: `property`, `keyframes`, `counter-style`, `namespace`, … */
  readonly features: ReadonlySet<string>
  /** How many tokens it has, for a caller that bounds the sheets of a page together. */
  readonly size: number
}

const MAX_RULES = 20_000
const MAX_SELECTORS = 40_000
const MAX_DEPTH = 32

/** `media` is the `media` attribute of the `style` element. */
export function readSheet(css: string, media = '', most = MAX_TOKENS): Sheet {
  return new SheetReader(tokenize(css, most)).read(media === '' ? ALWAYS : mediaCondition(media))
}

interface Context {
  readonly condition: Condition
  readonly depth: number
  /** Inside of a style rule: its selectors. */
  readonly parents: readonly Selector[] | undefined
  /** What its rules weigh is not known: they may win over all others. */
  readonly isHeavy: boolean
}

/** At-rules without style rules in them. */
const FEATURES = new Set(
  (
    'keyframes property counter-style page font-feature-values font-palette-values view-transition position-try ' +
    'function color-profile viewport'
  ).split(' '),
)
const FOREIGN = /^-(?:moz|ms|o|khtml)-/

class SheetReader {
  readonly #tokens: Tokens
  readonly #list: readonly Token[]
  readonly #rules: StyleRule[] = []
  readonly #fonts = new Set<string>()
  readonly #features = new Set<string>()
  #selectors = 0
  #mayImport = true
  #unknownContent = false
  #complete: boolean

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#list = tokens.list
    this.#complete = tokens.complete
  }

  read(condition: Condition): Sheet {
    if (condition.anywhere !== NO) {
      this.#ruleList(0, this.#list.length, { condition, depth: 0, parents: undefined, isHeavy: false })
    }
    const isOpen = this.#features.has('namespace')
    return {
      rules: isOpen ? this.#rules.map((rule) => ({ ...rule, condition: allOf(rule.condition, PERHAPS) })) : this.#rules,
      asides: [...generatedTexts(this.#list), ...this.#tokens.comments],
      loads: this.#list.filter(isLoad).length,
      complete: this.#complete,
      fonts: this.#fonts,
      unknownContent: this.#unknownContent,
      features: this.#features,
      size: this.#list.length,
    }
  }

  #ruleList(from: number, to: number, context: Context): void {
    for (let at = from; at < to; ) {
      const kind = this.#list[at]?.kind
      if (kind === 'space' || (context.depth === 0 && (kind === 'cdo' || kind === 'cdc'))) {
        at++
        continue
      }
      const span = ruleAt(this.#tokens, at, to, kind === 'at')
      if (kind === 'at') this.#atRule(span, context)
      else if (span.close !== -1 && !this.#isCustomProperty(span)) this.#styleRule(span, context)
      at = span.next
    }
  }

  /** CSS Syntax §5.5.3: `--name: {…}` is no rule. */
  #isCustomProperty({ start }: Span): boolean {
    const first = this.#list[start]
    const isColon = this.#list[afterSpace(this.#list, start + 1)]?.kind === 'colon'
    return first?.kind === 'ident' && first.text.startsWith('--') && isColon
  }

  #styleRule({ start, open, close }: Span, context: Context): void {
    const list = readSelectors(this.#tokens, start, open, context.parents !== undefined)
    if (list === undefined) return
    if (!list.unsure) this.#mayImport = false
    const own = list.unsure ? uncertain(context) : context
    this.#block(open + 1, close, { ...own, parents: list.selectors, depth: context.depth + 1 })
  }

  /** Declarations and nested rules. Declarations after a nested rule count after it. */
  #block(from: number, to: number, outer: Context): void {
    let context = outer
    if (context.depth > MAX_DEPTH) {
      this.#complete = false
      return
    }
    let declarations: Declaration[] = []
    const flush = (): void => {
      if (declarations.length > 0) this.#add(declarations, context)
      declarations = []
    }
    for (let at = from; at < to; ) {
      const kind = this.#list[at]?.kind
      if (kind === 'space' || kind === 'semicolon') {
        at++
        continue
      }
      const end = endOfNestedDeclaration(this.#tokens, at, to)
      const declaration = end === -1 ? undefined : declarationIn(this.#tokens, at, end)
      if (declaration !== undefined) {
        declarations.push(declaration)
        at = end + 1
        continue
      }
      const span = ruleAt(this.#tokens, at, to, true)
      const isBroken = this.#isCustomProperty(span)
      at = isBroken ? end + 1 : span.next
      if (isBroken || (kind !== 'at' && span.close === -1)) continue
      flush()
      // By the standard it is a broken rule; Chromium skips from there to the next `;`.
      if (kind === 'function') context = { ...context, condition: allOf(context.condition, PERHAPS) }
      if (kind === 'at') this.#atRule(span, uncertain(context))
      else this.#styleRule(span, uncertain(context))
    }
    flush()
  }

  #add(declarations: readonly Declaration[], { parents = [], condition, isHeavy }: Context): void {
    this.#selectors += parents.length
    if (this.#rules.length >= MAX_RULES || this.#selectors > MAX_SELECTORS) this.#complete = false
    else {
      const selectors = isHeavy ? parents.map((selector) => ({ ...selector, specificity: HEAVIEST })) : parents
      this.#rules.push({ selectors, declarations, condition })
    }
  }

  #atRule(span: Span, context: Context): void {
    const name = lowerAscii(this.#list[span.start]?.text ?? '')
    const isTop = context.parents === undefined
    if (span.close === -1) {
      if (name === 'import' && context.depth === 0) this.#import(span)
      if (name === 'namespace' && context.depth === 0) this.#features.add(name)
    } else if (name === 'media' || name === 'supports') {
      const read = name === 'media' ? mediaBetween : supportsBetween
      if (name === 'media' && isTop) this.#mayImport = false
      this.#group(span, context, read(this.#tokens, span.start + 1, span.open))
    } else if (name === 'font-face' && isTop) this.#font(span)
    else if (name === 'font-face' || name === 'import' || name === 'charset' || FOREIGN.test(name)) return
    else if (FEATURES.has(name.replace(/^-webkit-/, ''))) this.#features.add(name.replace(/^-webkit-/, ''))
    else {
      // Declarations directly in `@scope` are for its root.
      const parents = name === 'scope' ? [ANYTHING] : context.parents
      this.#group(span, { ...uncertain(context), parents }, PERHAPS)
    }
  }

  /** The rules of a group that may apply. */
  #group({ open, close }: Span, context: Context, own: Condition): void {
    const condition = allOf(context.condition, own)
    if (condition.anywhere === NO) return
    const inner = { ...context, condition, depth: context.depth + 1 }
    if (inner.depth > MAX_DEPTH) this.#complete = false
    else if (context.parents !== undefined) this.#block(open + 1, close, inner)
    else this.#ruleList(open + 1, close, inner)
  }

  /** Nothing is loaded; what a sheet carries in the address itself is not read either. */
  #import({ start, open }: Span): void {
    const tokens = this.#list.slice(start + 1, open).filter(({ kind }) => kind !== 'space')
    const [first, second] = tokens
    const address = first?.kind === 'function' ? second?.text : first?.text
    // As the URL standard reads it: without line breaks and tabs, and without spaces before it.
    const scheme = /^[\0- ]*([a-z][a-z0-9+.-]*):/i.exec(address?.replace(/[\t\n\r]/g, '') ?? '')?.[1]
    if (this.#mayImport && scheme !== undefined && !/^https?$/i.test(scheme)) this.#unknownContent = true
  }

  /** Fonts that would have to be fetched do not count: nothing is. */
  #font({ open, close }: Span): void {
    const found: Declaration[] = []
    for (let at = open + 1; at < close; ) {
      const start = afterSpace(this.#list, at)
      const end = endOfDeclaration(this.#tokens, start, close)
      const declaration = declarationIn(this.#tokens, start, end)
      if (declaration !== undefined) found.push(declaration)
      at = end + 1
    }
    const family = found.findLast(({ name }) => name === 'font-family')?.value.map(({ text }) => text)
    if (family !== undefined && found.some(isAtHand)) this.#fonts.add(family.join('').toLowerCase())
  }
}

const PLAIN_DESCRIPTOR = /^(?:src|font-(?:family|style|weight|display|stretch)|unicode-range|panose-1|mso-.*|-ms-.*)$/
const SYMBOLS = /wingding|webding|dingbat|symbol|blank/i

/** Whether a descriptor lets a font look otherwise than its reader's own fonts do. */
function isAtHand({ name, value }: Declaration): boolean {
  if (name !== 'src') return !PLAIN_DESCRIPTOR.test(name)
  return value.some(({ kind, text }, at) => {
    const isAddress = kind === 'url' || (kind === 'string' && /^(?:url|src)$/i.test(value[at - 1]?.text ?? ''))
    if (isAddress) return !/^[\0- ]*(?:https?:)?[/\\]{2}/i.test(text)
    return kind !== 'function' && SYMBOLS.test(text)
  })
}

function uncertain(context: Context): Context {
  return { ...context, condition: allOf(context.condition, PERHAPS), isHeavy: true }
}

/** `@import`, and addresses elsewhere that do not belong to one. */
function isLoad({ kind, text }: Token, at: number, list: readonly Token[]): boolean {
  if (kind === 'at') return lowerAscii(text) === 'import'
  const open = kind === 'string' ? beforeSpace(list, at) : at
  const isAddress =
    kind === 'url' || (kind === 'string' && list[open]?.kind === 'function' && /^url$/i.test(list[open].text))
  return isAddress && list[beforeSpace(list, open)]?.kind !== 'at' && /^\s*(?:https?:)?[/\\]{2}/i.test(text)
}

function beforeSpace(list: readonly Token[], at: number): number {
  return list[at - 1]?.kind === 'space' ? at - 2 : at - 1
}

/** The strings of all `content` and `list-style` declarations. */
function generatedTexts(list: readonly Token[]): string[] {
  const found: string[] = []
  let isIn = false
  list.forEach(({ kind, text }, at) => {
    if (kind === 'colon') isIn ||= /content|list-style/i.test(list[beforeSpace(list, at)]?.text ?? '')
    else if (kind === 'semicolon' || kind === '}' || kind === '{') isIn = false
    else if (isIn && kind === 'string') found.push(text)
  })
  return found
}
