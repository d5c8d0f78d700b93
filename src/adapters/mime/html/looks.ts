/**
 * How all elements of a page look, with what style sheets add to it.
 *
 * INVARIANT: parents before children; what is inside of an element that is not displayed has no look.
 */
import type { Colour } from '../css/colour.ts'
import type { Applied } from '../css/rules.ts'
import { type Inherited, type Look, lookOf, type Own, PAGE_LOOK } from './look.ts'
import { PageElement, PageText } from './nodes.ts'
import { generatedText, Styles } from './sheets.ts'
import { structureOf } from './structure.ts'
import type { PageTree } from './tree.ts'
import { defaultDisplay, defaultsOf, hintsOf, isUnshown, REPLACED } from './ua.ts'

const HTML = 'http://www.w3.org/1999/xhtml'
/** More than most messages need. */
const MOST_SHARED = 6000
const LONGEST_SIGNATURE = 400

/**
 * Looks of elements that inherit the same, to which the same declarations apply and which say the same themselves: most elements of a
 * page are like another one, and much of mail is like other mail.
 */
class SharedLooks {
  readonly #looks = new Map<string, Look>()
  readonly #ids = new WeakMap<object, number>()
  readonly #inheritances = new Map<string, number>()
  #last = 0

  get(parent: Look, applied: readonly Applied[], signature: string, make: () => Look): Look {
    if (signature.length > LONGEST_SIGNATURE) return make()
    const key = `${this.#inheritance(parent)} ${applied.length === 0 ? 0 : this.#idOf(applied)} ${signature}`
    const known = this.#looks.get(key)
    if (known !== undefined) return known
    const look = make()
    if (this.#looks.size >= MOST_SHARED) this.#looks.clear()
    this.#looks.set(key, look)
    return look
  }

  #idOf(applied: readonly Applied[]): number {
    const id = this.#ids.get(applied) ?? ++this.#last
    this.#ids.set(applied, id)
    return id
  }

  #inheritance(parent: Look): number {
    const known = this.#ids.get(parent)
    if (known !== undefined) return known
    const text = inheritanceText(parent)
    if (this.#inheritances.size >= MOST_SHARED) this.#inheritances.clear()
    const id = this.#inheritances.get(text) ?? ++this.#last
    this.#inheritances.set(text, id)
    this.#ids.set(parent, id)
    return id
  }
}

/** Names every field of `Inherited`: equal texts mean that children with equal declarations look the same. */
function inheritanceText({ display, visibility, size, line, align, colours, fill, ...flags }: Inherited): string {
  const { preformatted, nowrap, rtl, isShadowed } = flags
  const sizes = `${size.least} ${size.most} ${line.times} ${line.pixels}`
  const paints = `${colours?.map(colourText)}/${typeof fill === 'string' ? fill : fill?.map(colourText)}`
  return `${display} ${visibility} ${align} ${sizes} ${preformatted} ${nowrap} ${rtl} ${isShadowed} ${paints}`
}

function colourText({ red, green, blue, alpha }: Colour): string {
  return `${red} ${green} ${blue} ${alpha}`
}

const SHARED = { quirky: new SharedLooks(), strict: new SharedLooks() }

/** Attributes that say nothing about the look of an element beside the declarations that apply to it: none is a hint in `ua.ts`. */
const LOOKLESS = new Set('style class id src alt title name target value content lang rel link vlink alink'.split(' '))

function signatureOf({ name, isHtml, attributes }: PageElement, linkColour: string): string {
  let signature = isHtml ? name : `${name}\0`
  for (const [attribute, value] of attributes) {
    if (attribute === 'href') signature += `\0${linkColour}`
    else if (!LOOKLESS.has(attribute)) signature += `\n${attribute}\0${value}`
  }
  return signature
}

export class Looks {
  readonly styles: Styles
  /** Elements that may move, or be painted over, others. */
  readonly reaching: { readonly element: PageElement; readonly look: Look }[] = []
  /** Why it is not known which rules apply. */
  readonly sheetDoubt: string | undefined
  hasFloats = false
  readonly #isQuirky: boolean
  readonly #shared: SharedLooks
  #linkColour = '#0000ee'

  constructor({ root, sheets: { sheets, doubt }, isQuirky }: PageTree) {
    this.#isQuirky = isQuirky
    this.#shared = isQuirky ? SHARED.quirky : SHARED.strict
    this.styles = new Styles(sheets, isQuirky)
    for (const child of root.children) this.#style(child, PAGE_LOOK)
    this.sheetDoubt = doubt ?? (this.styles.rules.exceeded ? 'rules' : undefined)
  }

  of(element: PageElement): Look {
    return element.look ?? PAGE_LOOK
  }

  /** The table that a cell or a column is part of. */
  tableOf(part: PageElement): PageElement | undefined {
    let table = part.parent
    while (table !== undefined && !/^(?:inline-)?table$/.test(this.of(table).display)) table = table.parent
    return table
  }

  #style(element: PageElement, parent: Look): void {
    const own = this.#lookOf(element, parent)
    element.look = own
    this.hasFloats ||= own.isFloat
    if (own.reach !== undefined && own.hidden === undefined) this.reaching.push({ element, look: own })
    if (own.hidden !== undefined && !own.display.startsWith('table-column')) return
    if (this.styles.rules.hasPseudos) this.#generate(element, own)
    for (const child of element.children) this.#style(child, own)
  }

  #lookOf(element: PageElement, parent: Look): Look {
    const structure = structureOf(element)
    if (structure.hidden !== undefined) {
      const isOpened =
        structure.hidden === 'details' &&
        element.parent !== undefined &&
        this.styles.pseudo(element.parent).has('details-content')
      return isOpened ? { ...parent, doubt: 'details' } : { ...parent, hidden: structure.hidden, reach: undefined }
    }
    if (element.name === 'body') this.#linkColour = linkColours(element)
    const applied = this.styles.appliedTo(element)
    const found = this.#declaredLook(element, parent, applied)
    const look = structure.doubt === 'option' ? { ...found, hidden: undefined } : found
    if (look.display.startsWith('table-column') && (look.visibility !== 'visible' || look.background !== undefined))
      this.#doubtTable(element)
    if (look.hidden !== undefined && this.styles.rules.dependsOnWindow) {
      const elsewhere = this.#declaredLook(element, parent, this.styles.elsewhere(element))
      if (elsewhere.hidden === undefined)
        return { ...look, doubt: 'other windows', hidden: undefined, reach: undefined, display: 'block' }
    }
    const doubt = look.doubt ?? structure.doubt ?? this.#lines(element)
    const reach = look.reach ?? (structure.reach === true ? structure.doubt : undefined)
    return doubt === look.doubt && reach === look.reach ? look : { ...look, doubt, reach }
  }

  /** What the name, the attributes and the declarations of an element come to. */
  #declaredLook(element: PageElement, parent: Look, applied: readonly Applied[]): Look {
    const make = () => this.#make(element, parent, applied)
    // Whether the body paints the whole page depends on its parent.
    if (this.styles.hasFonts || element.name === 'body') return make()
    return this.#shared.get(parent, applied, signatureOf(element, this.#linkColour), make)
  }

  #make(element: PageElement, parent: Look, applied: readonly Applied[]): Look {
    const { name, attributes } = element
    const declared = this.styles.candidates(applied, [...defaultsOf(element, this.#linkColour), ...hintsOf(element)])
    const own: Own = {
      display: defaultDisplay(element),
      isRoot: name === 'html' || (name === 'body' && parent.background === undefined),
      isReplaced: REPLACED.has(name),
      isQuirky: this.#isQuirky,
    }
    const look = lookOf(name === 'table' && this.#isQuirky ? quirkyTable(parent) : parent, declared, own)
    if (isUnshown(element))
      return look.hidden === undefined ? { ...look, doubt: look.doubt ?? name } : { ...look, hidden: 'unshown' }
    const isOpen =
      name === 'svg' &&
      (attributes.has('overflow') || declared.of('overflow-x').some((value) => value !== '' && value !== 'hidden'))
    if (isOpen) return { ...look, doubt: 'svg', reach: 'svg', isPushing: true }
    // Sizes in `rem` are taken to be at least ten pixels.
    if (name === 'html' && (look.size.least < 9 || look.size.most > 24)) return { ...look, doubt: 'rem' }
    const isBrought = declared.of('font-family').some((value) => this.styles.bringsFont(value))
    return isBrought ? { ...look, doubt: look.doubt ?? 'font' } : look
  }

  /** Columns are painted, and may be folded, behind cells that are not their descendants. */
  #doubtTable(column: PageElement): void {
    const table = this.tableOf(column)
    const look = table === undefined ? undefined : this.of(table)
    if (table === undefined || look === undefined)
      this.reaching.push({ element: column, look: { ...this.of(column), reach: 'column', isPushing: true } })
    else table.look = { ...look, doubt: 'column' }
  }

  /** Rules for the first line or letter may hide it. */
  #lines(element: PageElement): string | undefined {
    if (!this.styles.rules.hasPseudos) return undefined
    for (const [name, { declared }] of this.styles.pseudo(element)) {
      if (/^(?:first-line|first-letter|marker|details-content)$/.test(name) && declared.names().length > 0) return name
    }
    return undefined
  }

  /** What style sheets put before and after the content becomes part of the tree. */
  #generate(element: PageElement, look: Look): void {
    if (REPLACED.has(element.name) || !element.isHtml) return
    for (const [name, { declared, applied }] of this.styles.pseudo(element)) {
      if (name !== 'before' && name !== 'after' && name !== 'marker') continue
      const contents = declared.of('content')
      if (contents.every((value) => /^(?:|none|normal)$/.test(value))) continue
      const box = new PageElement(`::${name}`, element.namespace, new Map())
      const own = lookOf(look, declared, { display: 'inline', isRoot: false, isReplaced: false, isQuirky: false })
      const isPlain = contents.length === 1 && /^"[^"\p{L}\p{N}]*"$/u.test(contents[0] ?? '')
      box.parent = element
      box.content = [new PageText(generatedText(applied, element))]
      box.look = { ...own, doubt: own.doubt ?? (isPlain ? undefined : 'generated') }
      if (own.reach !== undefined && own.hidden === undefined) this.reaching.push({ element: box, look: own })
      if (name !== 'after') element.content.unshift(box)
      else element.content.push(box)
    }
  }
}

/** Whether a link was visited is not known. */
function linkColours({ attributes }: PageElement): string {
  const [link, visited] = ['link', 'vlink'].map(
    (name) => hintsOf(new PageElement('font', HTML, new Map([['color', attributes.get(name) ?? '']])))[0]?.[1],
  )
  return `${link ?? '#0000ee'}${visited === undefined ? '' : `|${visited}`}`
}

/** Without a doctype, tables do not take over the font; whether they take over the colour depends. */
function quirkyTable(parent: Inherited): Inherited {
  const isBlack = parent.colours?.some(({ red, green, blue, alpha }) => red + green + blue === 0 && alpha === 1)
  const colours = isBlack !== false ? parent.colours : [...(parent.colours ?? []), ...(PAGE_LOOK.colours ?? [])]
  const size = { least: Math.min(16, parent.size.least), most: Math.max(16, parent.size.most) }
  return { ...parent, colours, size, line: { times: 1.2 }, preformatted: false, nowrap: false }
}
