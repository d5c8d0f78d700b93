/** Which styles of a Word document hide the text that they are given to. */
import type { Archive } from './archive.ts'
import { ownText } from './own-text.ts'
import { type Element, readWholeXml } from './xml.ts'

const MOST_STYLES = 20_000

interface Style {
  readonly basedOn: string | undefined
  readonly hides: boolean | undefined
}

export class DocxStyles {
  readonly #styles: ReadonlyMap<string, Style>
  /** Whether text without a style is hidden. */
  readonly byDefault: boolean

  constructor(styles: ReadonlyMap<string, Style>, byDefault: boolean, usual: string | undefined) {
    this.#styles = styles
    this.byDefault = byDefault || (usual !== undefined && this.hides(usual))
  }

  hides(id: string): boolean {
    const seen = new Set<string>()
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); ) {
      seen.add(at)
      const style: Style | undefined = this.#styles.get(at)
      if (style?.hides !== undefined) return style.hides
      at = style?.basedOn
    }
    return false
  }
}

export function readDocxStyles(archive: Archive, file: string | undefined): DocxStyles {
  const styles = new Map<string, Style>()
  let usual: string | undefined
  let byDefault = false
  let basedOn: string | undefined
  let hides: boolean | undefined
  const open = (element: Element): void => {
    if (element.name === 'style') {
      basedOn = undefined
      hides = undefined
    } else if (element.name === 'basedOn') basedOn = element.attribute('val')
    else if (element.name === 'vanish' && element.around('rPrDefault')) byDefault = isOn(element)
    // A style for parts of a table hides when one of those does.
    else if (element.name === 'vanish' && !element.around('pPr')) hides = hides === true || isOn(element)
  }
  const close = (element: Element): void => {
    if (element.name !== 'style') return
    const id = element.attribute('styleId') ?? ''
    if (styles.size >= MOST_STYLES) throw new Error('too many styles')
    styles.set(ownText(id), { basedOn: basedOn === undefined ? undefined : ownText(basedOn), hides })
    if (element.attribute('type') === 'paragraph' && isTrue(element.attribute('default'))) usual = id
  }
  if (file !== undefined) readWholeXml(archive, file, 'styles', { open, close })
  return new DocxStyles(styles, byDefault, usual)
}

/** A property that is named without a value is on. */
export function isOn(element: Element): boolean {
  const value = element.attribute('val')
  return value === undefined || isTrue(value)
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on'
}
