/**
 * What a box paints behind its text.
 *
 * INVARIANT: every colour that may lie behind a text is among those told; where not all of them can be told, none is.
 */
import { type Colour, over, parseColour, TRANSPARENT } from '../css/colour.ts'
import { gradientStops } from '../css/grammars.ts'
import { split } from '../css/values.ts'
import type { Candidates } from './candidates.ts'

export interface Background {
  /** `undefined` where it is not known. */
  readonly colours: readonly Colour[] | undefined
  /** All colours of a gradient above that, with those in between. */
  readonly stops: readonly Colour[]
  /** The gradient may leave some of the box to what is below it. */
  readonly isPartial: boolean
  /** A picture would be loaded that may be of any colour. */
  readonly mayLoad: boolean
  /** Painted through the text's own shapes, not behind it. */
  readonly isText: boolean
}

export type Backdrop = readonly Colour[] | undefined

const MOST_COLOURS = 40
const BETWEEN = 8

export function backgroundOf(declared: Candidates, text: readonly Colour[] | undefined): Background | undefined {
  const [paints, images] = [declared.of('background-color'), declared.of('background-image')]
  const isBare = (value: string) => value === '' || value === 'transparent' || value === 'none'
  if (paints.every(isBare) && images.every(isBare)) return undefined
  const clip = declared.of('background-clip')
  const unknown: Background = { colours: undefined, stops: [], isPartial: true, mayLoad: true, isText: false }
  if (
    images.length > 1 ||
    (clip.includes('text') && clip.length > 1) ||
    clip.some((value) => !/^(?:|(?:border|padding|content)-box|text)$/.test(value))
  )
    return unknown
  const colours = paints.map((value) =>
    value === '' ? TRANSPARENT : value === 'currentcolor' ? text?.[0] : parseColour(value),
  )
  const known = colours.filter((colour) => colour !== undefined && typeof colour !== 'string')
  if (known.length < colours.length || (paints.includes('currentcolor') && text?.length !== 1)) return unknown
  const layers = split(images[0] ?? '', ',').filter((layer) => !isBare(layer))
  const gradients = layers.filter((layer) => layer !== 'url(web)').map((layer) => gradientStops(layer))
  if (gradients.some((stops) => stops === undefined)) return unknown
  const stops = gradients.flatMap((one) => between(one ?? []))
  return {
    colours: known,
    stops,
    isPartial:
      gradients.length > 1 ||
      declared.of('background-layout').some((value) => value !== '' && value !== 'plain') ||
      stops.some(({ alpha }) => alpha < 1),
    mayLoad: layers.includes('url(web)'),
    isText: clip.includes('text'),
  }
}

function between(stops: readonly Colour[]): Colour[] {
  return stops.flatMap((from, index) => {
    const to = stops[index + 1]
    if (to === undefined) return [from]
    return Array.from({ length: BETWEEN }, (_, step) => mixed(from, to, step / BETWEEN))
  })
}

function mixed(from: Colour, to: Colour, share: number): Colour {
  const mix = (a: number, b: number) => a + (b - a) * share
  return {
    red: mix(from.red, to.red),
    green: mix(from.green, to.green),
    blue: mix(from.blue, to.blue),
    alpha: mix(from.alpha, to.alpha),
  }
}

/** What lies behind the text of a box that is painted on `below`. */
export function painted(background: Background | undefined, below: Backdrop): Backdrop {
  if (background === undefined || background.isText) return below
  if (background.colours === undefined) return undefined
  const base = background.colours.every(({ alpha }) => alpha === 1)
    ? background.colours
    : below?.flatMap((colour) => background.colours?.map((top) => over(top, colour)) ?? [])
  if (base === undefined) return background.stops.length > 0 && !background.isPartial ? background.stops : undefined
  const shown =
    background.stops.length === 0
      ? base
      : background.isPartial
        ? [...base, ...base.flatMap((colour) => background.stops.map((stop) => over(stop, colour)))]
        : background.stops
  return distinct(shown)
}

/** What the text itself is painted with, where its background shows through its shapes. */
export function textPaint({ colours, stops, isPartial }: Background): Backdrop {
  if (isPartial && stops.length > 0) return undefined
  return colours === undefined ? undefined : stops.length > 0 ? stops : colours
}

export function together(a: Backdrop, b: Backdrop): Backdrop {
  return a === undefined || b === undefined ? undefined : a === b ? a : distinct([...a, ...b])
}

function distinct(colours: readonly Colour[]): Backdrop {
  const found = new Map(colours.map((colour) => [`${colour.red} ${colour.green} ${colour.blue}`, colour]))
  return found.size > MOST_COLOURS ? undefined : [...found.values()]
}
