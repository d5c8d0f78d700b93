/** Which option of a `<select>` can be seen: the last that is marked, else the first; of a list, all. */
import type { Attributes } from './markup.ts'

interface Named {
  readonly name: string
  readonly attributes: Attributes
}

const ALL = -1

/** Follows a page. On the first reading it learns what each select shows, on the second it tells. */
export class Selects {
  readonly shown: number[]
  readonly #learning: boolean
  #select = -1
  #option = 0
  #open = false

  constructor(known?: readonly number[]) {
    this.#learning = known === undefined
    this.shown = [...(known ?? [])]
  }

  enter({ name, attributes }: Named): void {
    if (name === 'select') {
      this.#select++
      this.#option = 0
      this.#open = true
      if (!this.#learning) return
      this.shown[this.#select] = attributes.has('multiple') || Number(attributes.get('size') ?? 1) > 1 ? ALL : 0
    } else if (name === 'option' && this.#open) {
      if (this.#learning && attributes.has('selected') && this.shown[this.#select] !== ALL)
        this.shown[this.#select] = this.#option
      this.#option++
    }
  }

  leave(name: string): void {
    if (name === 'select') this.#open = false
  }

  /** Whether the option about to be entered stays folded away. */
  hidesNext(): boolean {
    const shown = this.#open ? (this.shown[this.#select] ?? 0) : ALL
    return shown !== ALL && shown !== this.#option
  }
}
