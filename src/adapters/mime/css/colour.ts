/**
 * Colours as style sheets and old attributes write them, by CSS Color 4 and HTML §2.3.6.
 *
 * INVARIANT: never throws. What no browser takes is `invalid`, so that it overrides nothing; what browsers may take and is not computed
 * here is `unknown`.
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
export const TRANSPARENT: Colour = { red: 0, green: 0, blue: 0, alpha: 0 }

const MAX_LENGTH = 200
/** As Chromium paints them in the light scheme. */
const SYSTEM: ReadonlyMap<string, Colour> = new Map([
  ['canvas', WHITE],
  ['canvastext', BLACK],
  ['window', WHITE],
  ['windowtext', BLACK],
  ['buttontext', BLACK],
  ['fieldtext', BLACK],
  ['field', WHITE],
])
const OTHER_SYSTEM =
  /^(?:accentcolor|accentcolortext|activetext|buttonborder|buttonface|graytext|highlight|highlighttext|linktext|mark|marktext|selecteditem|selecteditemtext|visitedtext|activeborder|activecaption|appworkspace|background|buttonhighlight|buttonshadow|captiontext|inactiveborder|inactivecaption|inactivecaptiontext|infobackground|infotext|menu|menutext|scrollbar|threeddarkshadow|threedface|threedhighlight|threedlightshadow|threedshadow|windowframe|-webkit-.*|-internal-.*)$/

/** `value` is canonical; `currentcolor` and the words that all properties take are the caller's to resolve. */
export function parseColour(value: string): Colour | 'invalid' | 'unknown' {
  if (value.length > MAX_LENGTH) return 'unknown'
  if (value.startsWith('#')) return fromHex(value.slice(1)) ?? 'invalid'
  if (/^-?[a-z][a-z-]*$/.test(value)) return fromWord(value)
  const call = /^([a-z-]+)\((.*)\)$/.exec(value)
  if (call === null) return 'invalid'
  const [, name = '', inside = ''] = call
  if (name === 'rgb' || name === 'rgba') return fromRgb(inside) ?? 'unknown'
  if (name === 'hsl' || name === 'hsla') return fromHsl(inside) ?? 'unknown'
  return 'unknown'
}

function fromWord(word: string): Colour | 'invalid' | 'unknown' {
  const named = NAMED_COLOURS.get(word)
  if (named !== undefined) return fromHex(named) ?? 'invalid'
  if (word === 'transparent') return TRANSPARENT
  return SYSTEM.get(word) ?? (OTHER_SYSTEM.test(word) ? 'unknown' : 'invalid')
}

/** The value of `bgcolor` or `<font color>`: hex digits need no `#` there. */
export function parseLegacyColour(value: string): Colour | undefined {
  const text = value.replace(/^[ \t\n\r\f]+|[ \t\n\r\f]+$/g, '').replace(/[A-Z]+/g, (upper) => upper.toLowerCase())
  if (text === '' || text === 'transparent') return undefined
  const named = NAMED_COLOURS.get(text)
  if (named !== undefined) return fromHex(named)
  if (/^#[0-9a-f]{3}$/.test(text)) return fromHex(text.slice(1))
  return legacyHex(
    text
      .replace(/[\u{10000}-\u{10ffff}]/gu, '00')
      .slice(0, 128)
      .replace(/^#/, ''),
  )
}

/** Browsers read any word here: what is no hex digit counts as 0, and the rest is cut into three parts. */
function legacyHex(text: string): Colour {
  const digits = text.replace(/[^0-9a-f]/g, '0')
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
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return undefined
  const wide = digits.length < 6 ? digits.replace(/./g, '$&$&') : digits
  const channel = (at: number) => Number.parseInt(wide.slice(at, at + 2), 16)
  return { red: channel(0), green: channel(2), blue: channel(4), alpha: wide.length === 8 ? channel(6) / 255 : 1 }
}

const NUMBER = '[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?'
const ALPHA = `(${NUMBER}%?)`
const THREE = (part: string, between: string, alpha: string) =>
  new RegExp(`^(${part})${between}(${part})${between}(${part})(?:${alpha}${ALPHA})?$`)
const RGB = [THREE(NUMBER, ',', ','), THREE(`${NUMBER}%`, ',', ','), THREE(`${NUMBER}%?`, ' ', '/')]
const HSL = [
  new RegExp(`^(${NUMBER}(?:deg)?),(${NUMBER}%),(${NUMBER}%)(?:,${ALPHA})?$`),
  new RegExp(`^(${NUMBER}(?:deg)?) (${NUMBER}%) (${NUMBER}%)(?:/${ALPHA})?$`),
]

function fromRgb(inside: string): Colour | undefined {
  const match = RGB.map((form) => form.exec(inside)).find((found) => found !== null)
  if (match === undefined || match === null) return undefined
  const [red = 0, green = 0, blue = 0] = match.slice(1, 4).map((part) => scaled(part, 255))
  return { red, green, blue, alpha: match[4] === undefined ? 1 : scaled(match[4], 1) }
}

function fromHsl(inside: string): Colour | undefined {
  const match = HSL.map((form) => form.exec(inside)).find((found) => found !== null)
  if (match === undefined || match === null) return undefined
  const hue = ((Number.parseFloat(match[1] ?? '0') % 360) + 360) % 360
  const [saturation, lightness] = [scaled(match[2] ?? '', 1), scaled(match[3] ?? '', 1)]
  const spread = saturation * Math.min(lightness, 1 - lightness)
  const channel = (shift: number) => {
    const k = (shift + hue / 30) % 12
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return {
    red: channel(0),
    green: channel(8),
    blue: channel(4),
    alpha: match[4] === undefined ? 1 : scaled(match[4], 1),
  }
}

/** `50%` or a plain number, within 0..full. */
function scaled(part: string, full: number): number {
  const number = Number.parseFloat(part)
  return Math.min(full, Math.max(0, part.endsWith('%') ? (number / 100) * full : number))
}

/** `top` painted over `below`, which is opaque. */
export function over(top: Colour, below: Colour, opacity = 1): Colour {
  const alpha = top.alpha * opacity
  if (alpha >= 1) return top
  const mix = (a: number, b: number) => a * alpha + b * (1 - alpha)
  return { red: mix(top.red, below.red), green: mix(top.green, below.green), blue: mix(top.blue, below.blue), alpha: 1 }
}

/** How far apart two colours are in the channel in which they differ most, 0..255. */
export function difference(a: Colour, b: Colour): number {
  return Math.max(Math.abs(a.red - b.red), Math.abs(a.green - b.green), Math.abs(a.blue - b.blue))
}
