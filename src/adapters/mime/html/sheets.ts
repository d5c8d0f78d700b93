/**
 * The style sheets of a page, and what each element declares.
 *
 * INVARIANT: sheets apply in the order of the document. Whatever decides which sheets apply, and is not understood, is a doubt about all of
 * the page.
 */
import { type Declaration, inlineDeclarations } from '../css/declarations.ts'
import { type Longhands, longhandsOf } from '../css/longhands.ts'
import { remembered } from '../css/remembered.ts'
import { type Applied, Rules } from '../css/rules.ts'
import { readSheet, type Sheet } from '../css/stylesheet.ts'
import { canonical } from '../css/values.ts'
import { Candidates } from './candidates.ts'
import { type PageElement, PageText } from './nodes.ts'

/** Elements that could bring a sheet or change what applies. */
export const SHEET_ELEMENTS: ReadonlySet<string> = new Set(['style', 'link', 'meta', 'frameset'])

export interface Sheets {
  readonly sheets: readonly Sheet[]
  /** Why nothing of the page can be judged. */
  readonly doubt: string | undefined
}

/** More than the sheets of a message have together. */
const MOST_TOKENS = 150_000
const sheetIn = remembered((css) => readSheet(css), 16, 20_000)
const HIDING_FEATURES = new Set(['property', 'function', 'view-transition', 'position-try', 'starting-style'])

/** `elements` are all that could bring or change a sheet, in their order. */
export function sheetsOf(elements: readonly PageElement[]): Sheets {
  const sheets: Sheet[] = []
  let doubt: string | undefined
  let size = 0
  for (const element of elements) {
    if (element.name === 'style' && isApplied(element)) {
      const media = element.attributes.get('media') ?? ''
      const css = textOf(element)
      const sheet = media === '' ? sheetIn(css) : readSheet(css, media)
      size += sheet.size
      sheets.push(sheet)
      if (element.attributes.has('title')) doubt ??= 'sheet with a title'
      if (sheet.unknownContent || !sheet.complete || size > MOST_TOKENS) doubt ??= 'sheet'
      for (const feature of sheet.features) if (HIDING_FEATURES.has(feature)) doubt ??= `@${feature}`
    }
    doubt ??= headDoubt(element)
  }
  return { sheets, doubt }
}

function isApplied({ namespace, isHtml, attributes }: PageElement): boolean {
  if (!isHtml && !namespace.endsWith('svg')) return false
  const type = attributes.get('type') ?? ''
  return type === '' || /^text\/css$/i.test(type)
}

export function textOf({ content }: PageElement): string {
  return content.map((node) => (node instanceof PageText ? node.text : '')).join('')
}

/** Links and metadata that change what applies. */
function headDoubt({ name, attributes }: PageElement): string | undefined {
  if (name === 'link' && /stylesheet/i.test(attributes.get('rel') ?? '')) {
    return /^[\0- ]*(?:data|blob):/i.test((attributes.get('href') ?? '').replace(/[\t\n\r]/g, ''))
      ? 'linked sheet'
      : undefined
  }
  if (name === 'frameset') return 'frames'
  if (name !== 'meta') return undefined
  if (/content-security-policy|default-style/i.test(attributes.get('http-equiv') ?? '')) return 'meta'
  const scheme = /^\s*color-scheme\s*$/i.test(attributes.get('name') ?? '') ? (attributes.get('content') ?? '') : ''
  return /^[\s]*(?:light(?:[\s,]+dark)?(?:[\s,]+only)?|normal|only light|)\s*$/i.test(scheme)
    ? undefined
    : 'colour scheme'
}

/** What each declaration comes to, kept as long as its sheet is. */
class Readings {
  readonly #isQuirky: boolean
  readonly #known = new WeakMap<Declaration, Longhands | 'nothing'>()

  constructor(isQuirky: boolean) {
    this.#isQuirky = isQuirky
  }

  of(declaration: Declaration): Longhands | undefined {
    const known = this.#known.get(declaration)
    if (known !== undefined) return known === 'nothing' ? undefined : known
    const found = longhandsOf(
      declaration.name,
      this.#isQuirky ? quirkyValue(declaration) : canonical(declaration.value),
      this.#isQuirky,
    )
    this.#known.set(declaration, found ?? 'nothing')
    return found
  }
}

/** Without a doctype, colours may leave out their sign (Quirks Mode §3.1). */
function quirkyValue({ name, value }: Declaration): string {
  const [token] = value
  if (!/^(?:background-)?color$/.test(name) || value.length !== 1 || token === undefined) return canonical(value)
  if (token.kind === 'ident')
    return /^(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(token.text) ? `#${token.text.toLowerCase()}` : canonical(value)
  if (token.kind !== 'number' && token.kind !== 'dimension') return canonical(value)
  const digits = `${token.number}${token.unit ?? ''}`.padStart(6, '0')
  return /^\d+$/.test(token.text) && /^[0-9a-f]{6}$/.test(digits) ? `#${digits}` : canonical(value)
}

const READINGS = { quirky: new Readings(true), strict: new Readings(false) }
const NO_DECLARATIONS: readonly Declaration[] = []

export class Styles {
  readonly rules: Rules
  readonly #readings: Readings
  readonly #fonts: readonly string[]

  constructor(sheets: readonly Sheet[], isQuirky: boolean) {
    this.rules = new Rules(sheets, isQuirky)
    this.#readings = isQuirky ? READINGS.quirky : READINGS.strict
    this.#fonts = sheets.flatMap(({ fonts }) => [...fonts]).map((font) => font.replace(/["\\\s(),/]/g, '_'))
  }

  appliedTo(element: PageElement): readonly Applied[] {
    return this.rules.appliedTo(element, inlineOf(element))
  }

  /** For readers with other windows. */
  elsewhere(element: PageElement): readonly Applied[] {
    return this.rules.otherwise(element, inlineOf(element))
  }

  differsElsewhere(element: PageElement): boolean {
    return this.rules.dependsOnWindow && this.elsewhere(element) !== this.appliedTo(element)
  }

  pseudo(
    element: PageElement,
  ): ReadonlyMap<string, { readonly declared: Candidates; readonly applied: readonly Applied[] }> {
    const found = this.rules.pseudo(element)
    if (found.size === 0) return NO_PSEUDOS
    return new Map([...found].map(([name, applied]) => [name, { declared: this.candidates(applied, []), applied }]))
  }

  get hasFonts(): boolean {
    return this.#fonts.length > 0
  }

  /** Whether it names a font that the message brings along. */
  bringsFont(family: string): boolean {
    const bare = family.replace(/"/g, '').replaceAll(' ', '_')
    return this.#fonts.some((font) => font !== '' && `,${bare.toLowerCase()},`.includes(`,${font.toLowerCase()},`))
  }

  /** `first` is what the element has without the author's declarations. */
  candidates(applied: readonly Applied[], first: readonly (readonly [string, string])[]): Candidates {
    const candidates = new Candidates()
    candidates.set(first)
    for (const { declaration, isCertain } of applied) {
      const reading = this.#readings.of(declaration)
      if (reading !== undefined) candidates.add(reading, isCertain)
    }
    return candidates
  }
}

const LONGEST_ATTRIBUTE = 2000

/** The words of the last `content`: its strings and the attributes that it names. */
export function generatedText(applied: readonly Applied[], { attributes }: PageElement): string {
  const tokens = applied.findLast(({ declaration }) => declaration.name === 'content')?.declaration.value ?? []
  return tokens
    .map(({ kind, text }, at) => {
      if (kind === 'string') return text
      return kind === 'ident' && tokens[at - 1]?.text.toLowerCase() === 'attr'
        ? (attributes.get(text.toLowerCase()) ?? '').slice(0, LONGEST_ATTRIBUTE)
        : ''
    })
    .join('')
}

const NO_PSEUDOS: ReturnType<Styles['pseudo']> = new Map()

function inlineOf({ attributes }: PageElement): readonly Declaration[] {
  const style = attributes.get('style')
  return style === undefined ? NO_DECLARATIONS : inlineDeclarations(style)
}
