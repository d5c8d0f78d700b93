/**
 * What stands behind the text of an element: colours, gradients and shadows that fill it.
 *
 * INVARIANT: never empty, at most MOST colours, each opaque. Pictures are never loaded, and what does not fill the box is
 * not counted: text must stand out from what is surely there.
 */
import { type Colour, indistinguishable, over, parseColour } from '../css/colour.ts'
import { parseLength } from '../css/length.ts'
import type { Properties } from '../css/properties.ts'
import { functionsOf, splitTopLevel } from '../css/scan.ts'

export type Backdrop = readonly Colour[]

const MOST = 8
/** A shadow of this reach, in pixels, fills a line of text. */
const FILLING = 100
const FULL_SIZE = new Set(['auto', 'cover', '100%', '100% 100%', 'auto auto'])

/** `colour` is that of the text, `background` that of the box. */
export function backdropOf(below: Backdrop, own: Properties, colour: Colour, background: Colour): Backdrop {
  let backdrop = background.alpha === 0 ? below : paint([background], below)
  const size = own.get('background-size') ?? 'auto'
  const stops = FULL_SIZE.has(size) ? gradientStops(own, colour) : []
  if (stops.length > 0) backdrop = paint(stops, backdrop)
  const shadow = fillingShadow(own.get('box-shadow') ?? '', colour)
  return shadow === undefined ? backdrop : paint([shadow], backdrop)
}

/** Whether text of that colour differs from nothing behind it. */
export function isLost(text: Colour, opacity: number, backdrop: Backdrop): boolean {
  return backdrop.every((behind) => indistinguishable(over(text, behind, opacity), behind))
}

function paint(colours: readonly Colour[], below: Backdrop): Backdrop {
  const mixed = colours.flatMap((colour) =>
    colour.alpha >= 1 ? [colour] : below.map((behind) => over(colour, behind)),
  )
  return few(mixed)
}

/** The same properties come with element after element: their gradient is taken apart once. */
const KNOWN_STOPS = new WeakMap<Properties, readonly (Colour | 'current')[]>()

function gradientStops(own: Properties, current: Colour): readonly Colour[] {
  const images = own.get('background-image')
  if (images?.includes('gradient(') !== true) return []
  const stops = KNOWN_STOPS.get(own) ?? readStops(images)
  KNOWN_STOPS.set(own, stops)
  return stops.map((stop) => (stop === 'current' ? current : stop))
}

function readStops(images: string): (Colour | 'current')[] {
  const gradient = functionsOf(splitTopLevel(images, ',').join(' ')).find(({ name }) => name.endsWith('gradient'))
  const stops: (Colour | 'current')[] = []
  for (const part of gradient?.parts ?? []) {
    const stop = part === 'currentcolor' ? 'current' : parseColour(part)
    if (stop !== undefined) stops.push(stop)
  }
  return few(stops)
}

/** The first ones and the last. */
function few<T>(all: T[]): T[] {
  return all.length > MOST ? [...all.slice(0, MOST - 1), ...all.slice(-1)] : all
}

function fillingShadow(shadows: string, current: Colour): Colour | undefined {
  if (!shadows.includes('inset')) return undefined
  for (const shadow of splitTopLevel(shadows, ',')) {
    const words = splitTopLevel(shadow.trim(), ' ')
    const lengths = words.flatMap((word) => parseLength(word, { fontSize: 16, whole: 0 }) ?? [])
    const [x = 0, y = 0, , spread = 0] = lengths
    if (!words.includes('inset') || Math.max(Math.abs(x), Math.abs(y), spread) < FILLING) continue
    const colour = words.find((word) => word !== 'inset' && parseColour(word) !== undefined)
    return colour === undefined ? current : parseColour(colour)
  }
  return undefined
}
