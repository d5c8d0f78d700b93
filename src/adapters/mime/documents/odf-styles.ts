/** Which styles of an OpenDocument file hide what they are given to. */
import { ownText } from './own-text.ts'
import type { Element } from './xml.ts'

const MOST_STYLES = 20_000

interface Style {
  readonly parent: string | undefined
  readonly hides: boolean | undefined
}

export class OdfStyles {
  readonly #styles = new Map<string, Style>()
  #family = ''
  #open: { key: string; parent: string | undefined; hides: boolean | undefined } | undefined

  /** To be told of every element of the files that define styles. */
  learn(element: Element): void {
    const { name } = element
    if (name === 'style' || name === 'default-style') {
      this.#family = element.attribute('family') ?? ''
      const own = element.attribute('name') ?? ''
      const parent = element.attribute('parent-style-name') ?? (name === 'style' ? '' : undefined)
      this.#open = {
        key: this.#key(own),
        parent: parent === undefined ? undefined : this.#key(parent),
        hides: undefined,
      }
    } else if (this.#open !== undefined) this.#property(element, this.#open)
  }

  /** To be told where an element ends. */
  learned({ name }: Element): void {
    if ((name !== 'style' && name !== 'default-style') || this.#open === undefined) return
    const { key, parent, hides } = this.#open
    // Of two of one name it takes one to hide.
    const known = this.#styles.get(key)
    if (this.#styles.size >= MOST_STYLES) throw new Error('too many styles')
    this.#styles.set(key, { parent, hides: known?.hides === true ? true : hides })
    this.#open = undefined
  }

  /** By the family (`paragraph`, `table`, `drawing-page`) and the name of a style. */
  hides(family: string, name: string): boolean {
    const seen = new Set<string>()
    for (let at: string | undefined = `${family} ${name}`; at !== undefined && !seen.has(at); ) {
      seen.add(at)
      const style: Style | undefined = this.#styles.get(at)
      if (style?.hides !== undefined) return style.hides
      at = style?.parent
    }
    return false
  }

  #key(name: string): string {
    return ownText(`${this.#family} ${name}`)
  }

  #property(element: Element, style: { hides: boolean | undefined }): void {
    if (element.name === 'text-properties' || element.name === 'table-properties') {
      const display = element.attribute('display')
      if (display !== undefined) style.hides = display !== 'true'
    } else if (element.name === 'drawing-page-properties') {
      const visibility = element.attribute('visibility')
      if (visibility !== undefined) style.hides = visibility === 'hidden'
    }
  }
}
