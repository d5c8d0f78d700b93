/**
 * Colours as Office files name them: by number, or by their place in a theme, made lighter or darker.
 *
 * INVARIANT: a colour that is not computed is not known.
 */
import type { Archive } from './archive.ts'
import { hexColour, mix, type Rgb } from './ink.ts'
import { type Element, readWholeXml } from './xml.ts'

const ACCENTS = 'accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink'.split(' ')
const SCHEME = ['dk1', 'lt1', 'dk2', 'lt2', ...ACCENTS]
const MAPPED = ['bg1', 'tx1', 'bg2', 'tx2', 't1', 't2', ...ACCENTS]

export class Theme {
  readonly #colours = new Map<string, Rgb>([
    ['dk1', 0],
    ['lt1', 0xffffff],
  ])
  readonly #names = new Map<string, string>()

  constructor(archive?: Archive, file?: string) {
    if (archive === undefined || file === undefined) return
    readWholeXml(archive, file, 'theme', {
      open: (element) => {
        const { name, parent } = element
        if (parent === undefined || !SCHEME.includes(parent.name) || parent.parent?.name !== 'clrScheme') return
        this.#colours.set(parent.name, hexColour(element.attribute(name === 'sysClr' ? 'lastClr' : 'val')))
      },
    })
  }

  /** `clrMap` says which name stands for which colour. */
  rename(element: Element): void {
    for (const name of MAPPED) {
      const to = element.attribute(name)
      if (to !== undefined) this.#names.set(plainName(name), plainName(to))
    }
  }

  named(name: string): Rgb {
    const known = /^(?:dk|lt)\d$/.test(name) ? name : (this.#names.get(plainName(name)) ?? plainName(name))
    return this.#colours.get(known)
  }

  /** By the number that sheets use: light and dark stand the other way round there. */
  numbered(index: number): Rgb {
    return this.#colours.get(SCHEME[index < 4 ? index ^ 1 : index] ?? '')
  }
}

/** `tx1`, `text1` and `dark1` are `dk1`. */
function plainName(name: string): string {
  return name
    .replace(/^(?:t|tx|text|dark)(?=\d)/, 'dk')
    .replace(/^(?:bg|background|light)(?=\d)/, 'lt')
    .replace(/^hyperlink$/, 'hlink')
    .replace(/^followedHyperlink$/, 'folHlink')
}

/** Lighter towards 1, darker towards -1. */
export function tinted(colour: Rgb, tint: number): Rgb {
  if (tint === 0) return colour
  return tint > 0 ? mix(0xffffff, colour, Math.min(1, tint)) : mix(0, colour, Math.min(1, -tint))
}
