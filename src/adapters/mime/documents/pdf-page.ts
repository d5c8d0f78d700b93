/**
 * One page of a PDF: its operators carried out as far as they decide what a person can see of its text.
 *
 * INVARIANT: paints and letters are in the order in which they are painted. What is not computed (patterns, soft masks, blend modes, pictures)
 * has no colour; what goes beyond a limit, or is an operator that is not known, makes the page doubtful.
 */
import { type Rgb, type Sight, worse } from './ink.ts'
import * as r from './region.ts'

/** Something painted: an area, or a line of some width. */
export interface Paint {
  readonly at: number
  readonly region: r.Region
  readonly line: { readonly path: r.Path; readonly width: number } | undefined
  readonly colour: Rgb
  readonly alpha: number
}

/** Where it stands along the line of its run: from its origin to where the next one would stand. */
export interface Letter {
  readonly text: string
  readonly from: number
  readonly to: number
  /** The font has no picture of it, or no word for it. */
  readonly odd: boolean
}

/** Letters that are shown in one go. */
export interface Run {
  readonly at: number
  readonly letters: readonly Letter[]
  /** From its own line to the page. */
  readonly place: r.Matrix
  /** What of its letters must be seen for them to be read, from the line up. */
  readonly core: number
  readonly points: number
  readonly clip: r.Region
  readonly inks: readonly { readonly colour: Rgb; readonly alpha: number }[]
  /** What is known apart from ink and place. */
  readonly sight: Sight
}

export interface Font {
  readonly isType3Font?: boolean
  readonly vertical?: boolean
  readonly missingFile?: boolean
  readonly fontMatrix?: readonly number[]
  readonly composite?: boolean
  readonly toUnicode?: object
}

export interface Operators {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}

export interface PdfContext {
  /** The names of operators by their numbers. */
  readonly names: readonly (string | undefined)[]
  font(name: string): Font | undefined
  isBlank(name: string, character: string): boolean
  layer(group: unknown): Sight
}

interface State {
  ctm: r.Matrix
  clip: r.Region
  fill: Rgb
  stroke: Rgb
  fillAlpha: number
  strokeAlpha: number
  /** Of the groups around. */
  alpha: number
  /** Blending, a soft mask or a transfer function. */
  odd: boolean
  lineWidth: number
  fontName: string
  size: number
  charSpace: number
  wordSpace: number
  stretch: number
  leading: number
  rise: number
  mode: number
}

const MOST_PAINTS = 20_000
const MOST_STEPS = 2_000_000
const MOST_SAVED = 1000
/** Of the height of a font: where the small letters stand. */
const CORE = 0.5
const UNIT: r.Box = [0, 0, 1, 1]

export type Args = readonly unknown[]

export class PdfPage {
  readonly paints: Paint[] = []
  readonly runs: Run[] = []
  doubtful = false
  readonly #context: PdfContext
  readonly #start: State
  #state: State
  readonly #saved: State[] = []
  readonly #layers: Sight[] = []
  #text: r.Matrix = r.IDENTITY
  #line: r.Matrix = r.IDENTITY
  #pending: 'clip' | 'eoClip' | undefined
  #clipsText = false
  #annotation = false
  #steps = 0

  constructor(view: r.Box, context: PdfContext) {
    this.#context = context
    this.#start = {
      ctm: r.IDENTITY,
      clip: { box: view, paths: [], vague: false },
      ...{ fill: 0, stroke: 0, fillAlpha: 1, strokeAlpha: 1, alpha: 1, odd: false, lineWidth: 1 },
      ...{ fontName: '', size: 0, charSpace: 0, wordSpace: 0, stretch: 1, leading: 0, rise: 0, mode: 0 },
    }
    this.#state = { ...this.#start }
  }

  /** False when there were too many. */
  step(): boolean {
    this.doubtful ||= ++this.#steps > MOST_STEPS
    return this.#steps <= MOST_STEPS
  }

  nameOf(operator: unknown): string {
    return this.#context.names[Number(operator)] ?? ''
  }

  get state(): State {
    return this.#state
  }

  save(): void {
    if (this.#saved.length >= MOST_SAVED) this.doubtful = true
    else this.#saved.push({ ...this.#state })
  }

  restore(): void {
    this.#state = this.#saved.pop() ?? this.#state
  }

  transform(value: unknown): void {
    this.#state.ctm = r.multiply(this.#state.ctm, matrixOf(value))
  }

  clipTo(box: unknown): void {
    const { 0: x1 = 0, 1: y1 = 0, 2: x2 = 0, 3: y2 = 0 } = numbersOf(box)
    this.#state.clip = r.narrow(this.#state.clip, r.rectanglePath([x1, y1, x2, y2], this.#state.ctm))
  }

  clipNext(kind: 'clip' | 'eoClip'): void {
    this.#pending = kind
  }

  path([operator, [data] = [null]]: readonly [unknown, (readonly unknown[])?]): void {
    const name = this.nameOf(operator)
    const isEvenOdd = /eo/i.test(name)
    const path = r.pathOf(numbersOf(data), this.#state.ctm, isEvenOdd)
    if (/fill/i.test(name)) this.fill(path)
    if (/stroke/i.test(name)) this.#strokeAlong(path)
    if (this.#pending !== undefined) {
      this.#state.clip = r.narrow(this.#state.clip, { ...path, evenOdd: this.#pending === 'eoClip' })
    }
    this.#pending = undefined
  }

  fill(path: r.Path): void {
    this.#paint(r.narrow(this.#state.clip, path), this.#state.fill, this.#state.fillAlpha)
  }

  /** Whatever is shown in the square from 0 to 1. */
  picture(): void {
    const path = r.rectanglePath(UNIT, this.#state.ctm)
    this.#paint(r.narrow(this.#state.clip, path), undefined, this.#state.fillAlpha)
  }

  shade(): void {
    this.#paint(this.#state.clip, undefined, this.#state.fillAlpha)
  }

  #strokeAlong(path: r.Path): void {
    const { ctm, clip, stroke, strokeAlpha, lineWidth } = this.#state
    // A line without width is as thin as can be.
    const width = Math.max(0.5, lineWidth * Math.max(Math.hypot(ctm[0], ctm[1]), Math.hypot(ctm[2], ctm[3])))
    const [x1, y1, x2, y2] = path.box
    const box = r.meet(clip.box, [x1 - width / 2, y1 - width / 2, x2 + width / 2, y2 + width / 2])
    this.#paint({ ...clip, box }, stroke, strokeAlpha, { path, width })
  }

  #paint(region: r.Region, colour: Rgb, alpha: number, line?: Paint['line']): void {
    const layer = this.#layer()
    const [x1, y1, x2, y2] = region.box
    if (layer === 'hidden' || !(x1 < x2 && y1 < y2)) return
    this.doubtful ||= this.paints.length >= MOST_PAINTS
    if (this.paints.length >= MOST_PAINTS) return
    const known = layer === 'visible' && !this.#state.odd
    const at = this.paints.length + this.runs.length
    this.paints.push({ at, region, line, colour: known ? colour : undefined, alpha: alpha * this.#state.alpha })
  }

  beginText(): void {
    this.setText(r.IDENTITY)
    this.#clipsText = false
  }

  /** Letters that clip do so from here on. */
  endText(): void {
    if (this.#clipsText) this.#state.clip = { ...this.#state.clip, vague: true }
  }

  setText(matrix: r.Matrix): void {
    this.#text = matrix
    this.#line = matrix
  }

  moveText(x: number, y: number): void {
    this.setText(r.multiply(this.#line, [1, 0, 0, 1, x, y]))
  }

  show(glyphs: unknown): void {
    const { size, ctm, clip, stretch, rise, charSpace, wordSpace, mode, fontName } = this.#state
    const font = this.#context.font(fontName)
    const scale = (font?.fontMatrix?.[0] ?? 0.001) * size
    const [text, letters] = [this.#text, [] as Letter[]]
    let at = 0
    for (const glyph of Array.isArray(glyphs) ? glyphs : []) {
      const from = at
      at += typeof glyph === 'number' ? (-glyph / 1000) * size : Number(glyph?.width) * scale + charSpace
      if (!isGlyph(glyph)) continue
      if (glyph.isSpace) at += wordSpace
      letters.push({ text: glyph.unicode, from, to: at, odd: this.#isOdd(glyph, font) })
    }
    if (letters.length === 0) return
    // Letters of such a font are drawings, and may cover anything.
    if (font?.isType3Font === true) this.doubtful = true
    if (mode >= 4) this.#clipsText = true
    this.runs.push({
      ...{ at: this.paints.length + this.runs.length, letters, clip, inks: this.#inks(), points: this.#points() },
      place: r.multiply(r.multiply(ctm, text), [stretch, 0, 0, 1, 0, rise]),
      core: CORE * size,
      sight: worse(this.#layer(), this.#isUnderstood(font) ? 'visible' : 'uncertain'),
    })
    this.#text = r.multiply(text, [1, 0, 0, 1, at * stretch, 0])
  }

  #inks(): Run['inks'] {
    const { fill, stroke, fillAlpha, strokeAlpha, alpha, mode } = this.#state
    const area = { colour: fill, alpha: fillAlpha * alpha }
    const line = { colour: stroke, alpha: strokeAlpha * alpha }
    return [[area], [line], [area, line], []][mode % 4] ?? []
  }

  #isOdd({ unicode, fontChar, isInFont }: Glyph, font: Font | undefined): boolean {
    const isDrawn =
      font?.missingFile === true || (isInFont !== false && !this.#context.isBlank(this.#state.fontName, fontChar))
    return !isDrawn || (!/^[ -~]*$/.test(unicode) && /[\p{Co}\p{Cn}\p{Cc}\ufffd]/u.test(unicode))
  }

  #isUnderstood(font: Font | undefined): boolean {
    if (font === undefined || this.#state.odd || this.#annotation) return false
    // Numbers of glyphs without a table that says what they are.
    const isNameless = font.composite === true && font.toUnicode !== undefined && !('_map' in font.toUnicode)
    return font.vertical !== true && !isNameless
  }

  /** How high letters are, or how wide: whichever makes them harder to read. */
  #points(): number {
    const { ctm, size, stretch } = this.#state
    const [a, b, c, d] = r.multiply(ctm, this.#text)
    const wide = Math.hypot(a, b)
    const high = wide === 0 ? 0 : Math.abs(a * d - b * c) / wide
    return Math.abs(size) * Math.min(high, 3 * wide * Math.abs(stretch))
  }

  openLayer(args: Args): void {
    this.#layers.push(args[0] === 'OC' ? this.#context.layer(args[1]) : 'visible')
  }

  closeLayer(): void {
    this.#layers.pop()
  }

  #layer(): Sight {
    return this.#layers.reduce(worse, 'visible')
  }

  /** Within, opacity and blending begin again; those around apply to all of it. */
  beginGroup(group: unknown): void {
    this.save()
    const state = this.#state
    state.alpha *= state.fillAlpha
    state.fillAlpha = state.strokeAlpha = 1
    if (isObject(group) && 'smask' in group && isObject(group.smask)) state.odd = true
  }

  beginAnnotation([, rectangle, transform, matrix]: Args): void {
    this.#saved.length = 0
    this.#state = { ...this.#start }
    this.#annotation = true
    if (rectangle !== undefined && rectangle !== null) this.clipTo(rectangle)
    this.transform(transform)
    this.transform(matrix)
  }

  setGraphics(settings: unknown): void {
    for (const setting of Array.isArray(settings) ? settings : []) {
      const [key, value] = Array.isArray(setting) ? setting : []
      if (key === 'ca') this.#state.fillAlpha = Number(value)
      else if (key === 'CA') this.#state.strokeAlpha = Number(value)
      else if (key === 'LW') this.#state.lineWidth = Number(value)
      else if (key === 'Font') this.setFont(value)
      else if (key === 'BM') this.#state.odd ||= value !== 'source-over'
      else if (key === 'SMask') this.#state.odd ||= value !== false
      else if (key === 'TR') this.#state.odd ||= value !== null
    }
  }

  setFont(value: unknown): void {
    const [name, size] = Array.isArray(value) ? value : []
    this.#state.fontName = String(name)
    this.#state.size = Number(size)
  }
}

interface Glyph {
  readonly unicode: string
  readonly fontChar: string
  readonly width: number
  readonly isSpace?: boolean
  readonly isInFont?: boolean
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isGlyph(value: unknown): value is Glyph {
  return isObject(value) && 'unicode' in value && typeof value.unicode === 'string' && 'width' in value
}

export function numbersOf(value: unknown): ArrayLike<number> {
  if (Array.isArray(value)) return value.map(Number)
  return value instanceof Float32Array ? value : []
}

export function matrixOf(value: unknown): r.Matrix {
  const { 0: a, 1: b, 2: c, 3: d, 4: e, 5: f } = numbersOf(value)
  return f === undefined ? r.IDENTITY : [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f]
}
