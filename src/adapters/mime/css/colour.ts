/**
 * Colours as style sheets and old attributes write them.
 *
 * INVARIANT: never throws; a value that no browser would take is `undefined`, so that it overrides nothing.
 */
import { NAMED_COLOURS } from './colour-names.ts'

/** Red, green and blue 0..255, alpha 0..1. */
export interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

export const BLACK: Colour = { red: 0, green: 0, blue: 0, alpha: 1 }
export const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 1 }
export const LINK_BLUE: Colour = { red: 0, green: 0, blue: 238, alpha: 1 }
export const TRANSPARENT: Colour = { red: 0, green: 0, blue: 0, alpha: 0 }

const MAX_LENGTH = 200

/** A CSS colour, `value` in lower case and trimmed. `currentcolor` and `inherit` are the caller's to resolve. */
export function parseColour(value: string): Colour | undefined {
  if (value.length > MAX_LENGTH) return undefined
  if (value.startsWith('#')) return fromHex(value.slice(1))
  const named = NAMED_COLOURS.get(value)
  if (named !== undefined) return fromHex(named)
  if (value === 'transparent') return TRANSPARENT
  const open = value.indexOf('(')
  if (open <= 0 || !value.endsWith(')')) return undefined
  return fromFunction(value.slice(0, open), value.slice(open + 1, -1))
}

/** The value of `bgcolor` or `<font color>`: hex digits need no `#` there. */
export function parseLegacyColour(value: string): Colour | undefined {
  const text = value.trim().toLowerCase()
  if (text === '' || text === 'transparent' || text.length > MAX_LENGTH) return undefined
  const named = NAMED_COLOURS.get(text)
  if (named !== undefined) return fromHex(named)
  if (/^#[0-9a-f]{3}$/.test(text)) return fromHex(text.slice(1))
  return legacyHex(text.replace(/^#/, ''))
}

/** Browsers read any word here: what is no hex digit counts as 0, and the rest is cut into three parts. */
function legacyHex(text: string): Colour {
  const digits = text.slice(0, 128).replace(/[^0-9a-f]/g, '0')
  const part = Math.max(1, Math.ceil(digits.length / 3))
  const padded = digits.padEnd(part * 3, '0')
  const channels = [0, 1, 2].map((index) => padded.slice(index * part, (index + 1) * part).slice(-8))
  let skip = 0
  const longest = channels[0]?.length ?? 0
  while (longest - skip > 2 && channels.every((channel) => channel[skip] === '0')) skip++
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => Number.parseInt(channel.slice(skip, skip + 2), 16))
  return { red, green, blue, alpha: 1 }
}

function fromHex(digits: string): Colour | undefined {
  if (!/^[0-9a-f]+$/.test(digits)) return undefined
  const wide = digits.length === 3 || digits.length === 4 ? digits.replace(/./g, '$&$&') : digits
  if (wide.length !== 6 && wide.length !== 8) return undefined
  const channel = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16)
  return { red: channel(0), green: channel(2), blue: channel(4), alpha: wide.length === 8 ? channel(6) / 255 : 1 }
}

const PICTURE = /gradient$|^url$|^image|^-webkit-image|^cross-fade$|^element$|^paint$|^src$/

function fromFunction(name: string, inside: string): Colour | undefined {
  if (PICTURE.test(name)) return undefined
  // Colours made from others we do not compute.
  if (inside.trimStart().startsWith('from ')) return TRANSPARENT
  const parts = inside.split(/[\s,/]+/).filter((part) => part !== '')
  switch (name) {
    case 'rgb':
    case 'rgba':
      return fromRgb(parts)
    case 'hsl':
    case 'hsla':
      return fromHsl(parts)
    case 'hwb':
      return fromHwb(parts)
    case 'lab':
    case 'lch':
      return fromLightness(parts, 100)
    case 'oklab':
    case 'oklch':
      return fromLightness(parts, 1)
    case 'color':
      return fromRgb(parts.slice(1).map((part) => (part.endsWith('%') ? part : `${Number(part) * 100}%`)))
    case 'light-dark':
      return parseColour(inside.split(',')[0]?.trim() ?? '')
    default:
      // What we cannot compute (color-mix and whatever comes next) no ordinary mail uses: taken as not to be seen.
      return /^[a-z-]+$/.test(name) ? TRANSPARENT : undefined
  }
}

function fromRgb(parts: readonly string[]): Colour | undefined {
  const [red, green, blue] = parts.slice(0, 3).map((part) => scaled(part, 255))
  const alpha = parts.length > 3 ? scaled(parts[3] ?? '', 1) : 1
  if (red === undefined || green === undefined || blue === undefined || alpha === undefined) return undefined
  return { red, green, blue, alpha }
}

function fromHsl(parts: readonly string[]): Colour | undefined {
  const hue = angle(parts[0] ?? '')
  const saturation = scaled(parts[1]?.replace(/(\d)$/, '$1%') ?? '', 1)
  const lightness = scaled(parts[2]?.replace(/(\d)$/, '$1%') ?? '', 1)
  const alpha = parts.length > 3 ? scaled(parts[3] ?? '', 1) : 1
  if (hue === undefined || saturation === undefined || lightness === undefined || alpha === undefined) return undefined
  const spread = saturation * Math.min(lightness, 1 - lightness)
  const channel = (shift: number) => {
    const k = (shift + hue / 30) % 12
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return { red: channel(0), green: channel(8), blue: channel(4), alpha }
}

function fromHwb(parts: readonly string[]): Colour | undefined {
  const pure = fromHsl([parts[0] ?? '', '100%', '50%'])
  const white = scaled(parts[1] ?? '', 1)
  const black = scaled(parts[2] ?? '', 1)
  const alpha = parts.length > 3 ? scaled(parts[3] ?? '', 1) : 1
  if (pure === undefined || white === undefined || black === undefined || alpha === undefined) return undefined
  const sum = Math.max(1, white + black)
  const mix = (channel: number) => Math.round(channel * (1 - (white + black) / sum) + (255 * white) / sum)
  return { red: mix(pure.red), green: mix(pure.green), blue: mix(pure.blue), alpha }
}

/** The grey of that lightness: near enough to tell what shows on what. */
function fromLightness(parts: readonly string[], full: number): Colour | undefined {
  const lightness = scaled(parts[0] ?? '', full)
  const alpha = parts.length > 3 ? scaled(parts[3] ?? '', 1) : 1
  if (lightness === undefined || alpha === undefined) return undefined
  const grey = Math.round((255 * lightness) / full)
  return { red: grey, green: grey, blue: grey, alpha }
}

/** `50%` or a plain number, within 0..full. */
function scaled(part: string, full: number): number | undefined {
  if (part === 'none') return 0
  const percent = part.endsWith('%')
  const text = percent ? part.slice(0, -1) : part
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/.test(text)) return undefined
  const value = percent ? (Number(text) / 100) * full : Number(text)
  return Math.min(full, Math.max(0, value))
}

const PER_TURN: Readonly<Record<string, number>> = { deg: 1, '': 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 }

function angle(part: string): number | undefined {
  if (part === 'none') return 0
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(deg|grad|rad|turn|)$/.exec(part)
  if (match === null) return undefined
  const degrees = Number(match[1]) * (PER_TURN[match[2] ?? ''] ?? 1)
  return ((degrees % 360) + 360) % 360
}

/** `top` painted over `below`, which is opaque. */
export function over(top: Colour, below: Colour, opacity = 1): Colour {
  const alpha = top.alpha * opacity
  if (alpha >= 1) return top
  const mix = (a: number, b: number) => a * alpha + b * (1 - alpha)
  return { red: mix(top.red, below.red), green: mix(top.green, below.green), blue: mix(top.blue, below.blue), alpha: 1 }
}

// #ebebeb on white: what differs less in every channel, people do not see.
const LEAST_DIFFERENCE = 20

export function indistinguishable(a: Colour, b: Colour): boolean {
  const differences = [a.red - b.red, a.green - b.green, a.blue - b.blue]
  return differences.every((difference) => Math.abs(difference) <= LEAST_DIFFERENCE)
}
