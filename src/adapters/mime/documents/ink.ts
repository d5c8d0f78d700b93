/**
 * Whether text can be told from what lies behind it: one judgement for PDF and all office files.
 *
 * INVARIANT: `visible` only when colour, opacity, size and everything behind are known and differ enough; what is not known is `uncertain`.
 */

export type Sight = 'visible' | 'uncertain' | 'hidden'

/** 0xRRGGBB; `undefined` where it is not known: a picture, a gradient, a colour that is not computed. */
export type Rgb = number | undefined

export const WHITE = 0xffffff
export const BLACK = 0

/** What differs less in every channel (`#ebebeb` on white) people do not see; up to the second they may. */
const UNSEEN_DIFFERENCE = 20
const SEEN_DIFFERENCE = 40
const UNSEEN_POINTS = 2
const SEEN_POINTS = 4

export interface Ink {
  /** `auto` is one that differs from what lies behind. */
  readonly colour: Rgb | 'auto'
  /** Everything that lies behind some of it. */
  readonly behind: readonly Rgb[]
  readonly alpha?: number
  /** The height of its letters as they are shown. */
  readonly points?: number
}

export const PLAIN: Ink = { colour: 'auto', behind: [WHITE], alpha: 1, points: 10 }

export function inkSight({ colour, behind, alpha = 1, points = SEEN_POINTS }: Ink): Sight {
  const size = points < UNSEEN_POINTS ? 'hidden' : points >= SEEN_POINTS ? 'visible' : 'uncertain'
  if (size === 'hidden' || alpha <= 0) return 'hidden'
  if (colour === 'auto') return alpha < 1 ? worse('uncertain', size) : size
  const sights = behind.map((under) => contrast(mix(colour, under, alpha), under))
  if (sights.every((sight) => sight === 'hidden')) return 'hidden'
  return size === 'visible' && sights.every((sight) => sight === 'visible') ? 'visible' : 'uncertain'
}

export function worse(one: Sight, other: Sight): Sight {
  if (one === 'hidden' || other === 'hidden') return 'hidden'
  return one === 'visible' ? other : one
}

/** `top` painted over `under`. */
export function mix(top: Rgb, under: Rgb, alpha: number): Rgb {
  if (alpha >= 1) return top
  if (top === undefined || under === undefined || !(alpha >= 0)) return undefined
  const channel = (shift: number) => (((top >> shift) & 255) * alpha + ((under >> shift) & 255) * (1 - alpha)) & 255
  return (channel(16) << 16) | (channel(8) << 8) | channel(0)
}

function contrast(one: Rgb, other: Rgb): Sight {
  if (one === undefined || other === undefined) return 'uncertain'
  const difference = Math.max(...[16, 8, 0].map((shift) => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255))))
  if (difference <= UNSEEN_DIFFERENCE) return 'hidden'
  return difference >= SEEN_DIFFERENCE ? 'visible' : 'uncertain'
}

/** `FF8800`, `#ff8800`; of eight digits the first two are opacity that spreadsheets ignore. */
export function hexColour(value: string | undefined): Rgb {
  const digits = /^#?(?:[0-9a-f]{2})?([0-9a-f]{6})$/i.exec(value ?? '')?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 16)
}
