/**
 * How all elements of a page look, with what style sheets add to it.
 *
 * INVARIANT: parents before children; what is inside of an element that is not displayed has no look.
 */
import type { Candidates } from './candidates.ts'
import { type Look, lookOf, type Own, PAGE_LOOK } from './look.ts'
import { PageElement, PageText } from './nodes.ts'
import { generatedText, Styles, sheetsOf } from './sheets.ts'
import { structureOf } from './structure.ts'
import type { PageTree } from './tree.ts'
import { defaultDisplay, defaultsOf, hintsOf, isUnshown, REPLACED } from './ua.ts'

const HTML = 'http://www.w3.org/1999/xhtml'
const MOST_SHARED = 500

export class Looks {
  readonly styles: Styles
  /** Elements that may move, or be painted over, others. */
  readonly reaching: { readonly element: PageElement; readonly look: Look }[] = []
  /** Why it is not known which rules apply. */
  readonly sheetDoubt: string | undefined
  hasFloats = false
  readonly #looks = new Map<PageElement, Look>()
  readonly #isQuirky: boolean
  #linkColour = '#0000ee'
  /** Most elements of a page look like others with the same parent's look. */
  readonly #shared = new WeakMap<Look, Map<string, Look>>()
  readonly #tables = new WeakMap<Look, Look>()

  constructor({ root, isQuirky }: PageTree) {
    const { sheets, doubt } = sheetsOf(root)
    this.#isQuirky = isQuirky
    this.styles = new Styles(sheets, isQuirky)
    for (const child of root.children) this.#style(child, PAGE_LOOK)
    this.sheetDoubt = doubt ?? (this.styles.rules.exceeded ? 'rules' : undefined)
  }

  of(element: PageElement): Look {
    return this.#looks.get(element) ?? PAGE_LOOK
  }

  /** The table that a cell or a column is part of. */
  tableOf(part: PageElement): PageElement | undefined {
    let table = part.parent
    while (table !== undefined && !/^(?:inline-)?table$/.test(this.of(table).display)) table = table.parent
    return table
  }

  #style(element: PageElement, parent: Look): void {
    const own = this.#lookOf(element, parent)
    this.#looks.set(element, own)
    this.hasFloats ||= own.isFloat
    if (own.reach !== undefined && own.hidden === undefined) this.reaching.push({ element, look: own })
    if (own.hidden !== undefined && !own.display.startsWith('table-column')) return
    this.#generate(element, own)
    for (const child of element.children) this.#style(child, own)
  }

  #lookOf(element: PageElement, parent: Look): Look {
    const { name } = element
    const structure = structureOf(element)
    if (structure.hidden !== undefined) {
      const isOpened =
        structure.hidden === 'details' &&
        element.parent !== undefined &&
        this.styles.pseudo(element.parent).has('details-content')
      return isOpened ? { ...parent, doubt: 'details' } : { ...parent, hidden: structure.hidden, reach: undefined }
    }
    if (name === 'body') this.#linkColour = linkColours(element)
    const first = [...defaultsOf(element, this.#linkColour), ...hintsOf(element)]
    const own = {
      display: defaultDisplay(element),
      isRoot: name === 'html' || (name === 'body' && parent.background === undefined),
      isReplaced: REPLACED.has(name),
      isQuirky: this.#isQuirky,
    }
    const above = name === 'table' && this.#isQuirky ? this.#quirkyTable(parent) : parent
    const declared = this.styles.of(element, first)
    const found = this.#sharedLook(above, declared, own)
    const look = structure.doubt === 'option' ? { ...found, hidden: undefined } : found
    if (look.display.startsWith('table-column') && (look.visibility !== 'visible' || look.background !== undefined))
      this.#doubtTable(element)
    const elsewhere = look.hidden === undefined ? undefined : this.styles.elsewhere(element, first)
    const isShownElsewhere = elsewhere !== undefined && lookOf(above, elsewhere, own).hidden === undefined
    if (isShownElsewhere)
      return { ...look, doubt: 'other windows', hidden: undefined, reach: undefined, display: 'block' }
    const family = declared.of('font-family').some((value) => this.styles.bringsFont(value)) ? 'font' : undefined
    const shown = isUnshown(element) && look.hidden === undefined ? name : undefined
    const isOpen =
      name === 'svg' &&
      (element.attributes.has('overflow') ||
        declared.of('overflow-x').some((value) => value !== '' && value !== 'hidden'))
    if (isOpen) return { ...look, doubt: 'svg', reach: 'svg', isPushing: true }
    // Sizes in `rem` are taken to be at least ten pixels.
    if (name === 'html' && (look.size.least < 9 || look.size.most > 24)) return { ...look, doubt: 'rem' }
    const doubt = look.doubt ?? structure.doubt ?? family ?? shown ?? this.#lines(element)
    if (look.hidden !== undefined && isUnshown(element)) return { ...look, hidden: 'unshown' }
    const reach = look.reach ?? (structure.reach === true ? structure.doubt : undefined)
    return doubt === look.doubt && reach === look.reach ? look : { ...look, doubt, reach }
  }

  #quirkyTable(parent: Look): Look {
    const known = this.#tables.get(parent) ?? quirkyTable(parent)
    this.#tables.set(parent, known)
    return known
  }

  #sharedLook(parent: Look, declared: Candidates, own: Own): Look {
    const looks = this.#shared.get(parent) ?? new Map<string, Look>()
    this.#shared.set(parent, looks)
    const key = `${own.display}\0${own.isRoot}\0${own.isReplaced}\n${declared.key()}`
    const known = looks.get(key)
    if (known !== undefined) return known
    const look = lookOf(parent, declared, own)
    if (looks.size < MOST_SHARED) looks.set(key, look)
    return look
  }

  /** Columns are painted, and may be folded, behind cells that are not their descendants. */
  #doubtTable(column: PageElement): void {
    const table = this.tableOf(column)
    const look = table === undefined ? undefined : this.of(table)
    if (table === undefined || look === undefined)
      this.reaching.push({ element: column, look: { ...this.of(column), reach: 'column', isPushing: true } })
    else this.#looks.set(table, { ...look, doubt: 'column' })
  }

  /** Rules for the first line or letter may hide it. */
  #lines(element: PageElement): string | undefined {
    if (this.styles.rules.isEmpty) return undefined
    for (const [name, { declared }] of this.styles.pseudo(element)) {
      if (/^(?:first-line|first-letter|marker|details-content)$/.test(name) && declared.names().length > 0) return name
    }
    return undefined
  }

  /** What style sheets put before and after the content becomes part of the tree. */
  #generate(element: PageElement, look: Look): void {
    if (this.styles.rules.isEmpty || REPLACED.has(element.name) || !element.isHtml) return
    for (const [name, { declared, applied }] of this.styles.pseudo(element)) {
      if (name !== 'before' && name !== 'after' && name !== 'marker') continue
      const contents = declared.of('content')
      if (contents.every((value) => /^(?:|none|normal)$/.test(value))) continue
      const box = new PageElement(`::${name}`, element.namespace, new Map())
      const own = lookOf(look, declared, { display: 'inline', isRoot: false, isReplaced: false, isQuirky: false })
      const isPlain = contents.length === 1 && /^"[^"\p{L}\p{N}]*"$/u.test(contents[0] ?? '')
      box.parent = element
      box.content = [new PageText(generatedText(applied, element))]
      this.#looks.set(box, { ...own, doubt: own.doubt ?? (isPlain ? undefined : 'generated') })
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
function quirkyTable(parent: Look): Look {
  const isBlack = parent.colours?.some(({ red, green, blue, alpha }) => red + green + blue === 0 && alpha === 1)
  const colours = isBlack !== false ? parent.colours : [...(parent.colours ?? []), ...(PAGE_LOOK.colours ?? [])]
  const size = { least: Math.min(16, parent.size.least), most: Math.max(16, parent.size.most) }
  return { ...parent, colours, size, line: { times: 1.2 }, preformatted: false, nowrap: false }
}
