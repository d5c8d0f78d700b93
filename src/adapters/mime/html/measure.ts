/**
 * How much room text takes at most.
 *
 * INVARIANT: never less than what a browser needs with an ordinary font, so that what fits by this measure fits. Linear for each element
 * that is asked about, with a bound on all questions together.
 */
import type { Look } from './look.ts'
import type { Looks } from './looks.ts'
import { type PageElement, PageText, TooComplex } from './nodes.ts'
import { lineHeight } from './text-look.ts'

const MOST_STEPS = 3_000_000
const PICTURE = 24
const FIELD = 220
const FIELDS = new Set(['input', 'textarea', 'select', 'iframe', 'video', 'object', 'canvas'])
/** What browsers put above and below. */
const SPACED = /^(?:p|ul|ol|dl|blockquote|pre|figure|h[1-6]|hr|form|fieldset|td|th)$/
const REPLACED = new Set([
  'img',
  'svg',
  'iframe',
  'object',
  'embed',
  'video',
  'canvas',
  'input',
  'select',
  'textarea',
  'button',
  'marquee',
])

const NARROW = new Set([...`ijlft.,:;/|!'()[]r `].map((letter) => letter.charCodeAt(0)))

interface Run {
  /** What cannot be broken, up to here. */
  width: number
  most: number
}

export class Measure {
  readonly #looks: Looks
  readonly #widths = new Map<PageElement, number>()
  #steps = 0

  constructor(looks: Looks) {
    this.#looks = looks
  }

  /** The width below which something of the element's content no longer fits. */
  leastWidth(element: PageElement): number {
    const known = this.#widths.get(element)
    if (known !== undefined) return known
    const run: Run = { width: 0, most: 0 }
    this.#follow(element, run)
    const width = run.most
    this.#widths.set(element, width)
    return width
  }

  /** How high the content of an element is when it is `width` wide. */
  height(element: PageElement, width: number): number {
    const room = Math.max(20, width)
    let total = 0
    let line = 0
    let tallest = 0
    const end = () => {
      total += Math.ceil((line * 1.2) / room) * tallest
      line = 0
      tallest = 0
    }
    for (const node of element.content) {
      this.#spend(1)
      const look = this.#looks.of(node instanceof PageText ? element : node)
      if (look.hidden !== undefined) continue
      if (node instanceof PageText) {
        line += look.preformatted ? 0 : textWidth(node.text.replace(/[ \t\n\r\f]+/g, ' ').trimStart(), look)
        if (look.preformatted)
          total += (node.text.split('\n').length + textWidth(node.text, look) / room) * Math.max(1, lineHeight(look))
        if (/\S/.test(node.text)) tallest = Math.max(tallest, lineHeight(look), look.size.most)
      } else if (node.name === 'br') {
        total += line === 0 ? lineHeight(look) : 0
        end()
      } else if (look.isBox || REPLACED.has(node.name)) {
        if (look.display !== 'inline-block') end()
        total +=
          Math.max(
            this.height(node, Math.min(look.width, room)) + look.padding.down,
            Number.isFinite(look.height) ? look.height : 0,
            look.tall,
          ) +
          look.marginDown +
          (SPACED.test(node.name) ? 2.2 * look.size.most : 0) +
          (FIELDS.has(node.name) ? 60 : 0)
      } else {
        const inner = this.height(node, room)
        line += this.wholeWidth(node)
        tallest = Math.max(tallest, inner)
      }
    }
    end()
    return total
  }

  /** All text of an element on one line. */
  wholeWidth(element: PageElement): number {
    const look = this.#looks.of(element)
    if (look.hidden !== undefined) return 0
    return element.content.reduce(
      (sum, node) => sum + (node instanceof PageText ? textWidth(node.text, look) : this.wholeWidth(node)),
      Math.max(look.wide, look.padding.across + look.margin),
    )
  }

  /** What a box or a picture takes of the line that it stands in. */
  inlineWidth(element: PageElement): number {
    return Math.max(fieldWidth(element) ?? 0, this.wholeWidth(element)) + PICTURE
  }

  #follow(element: PageElement, run: Run): void {
    const look = this.#looks.of(element)
    if (look.hidden !== undefined) return
    this.#spend(1 + element.content.length)
    if (element.name === 'br') end(run)
    else if (look.display === 'table-row') this.#row(element, run)
    else this.#line(element, look, run)
  }

  #line(element: PageElement, look: Look, run: Run): void {
    run.width += look.isBox ? 0 : look.padding.across + look.margin + 2 * look.border
    for (const node of element.content) {
      if (node instanceof PageText) this.#text(node.text, look, run)
      else if (this.#looks.of(node).isBox === true || REPLACED.has(node.name)) this.#box(node, run, look.nowrap)
      else this.#follow(node, run)
    }
    if (look.isBox) end(run)
  }

  #box(element: PageElement, run: Run, joined: boolean): void {
    const look = this.#looks.of(element)
    if (look.hidden !== undefined) return
    const own = fieldWidth(element) ?? this.leastWidth(element)
    const width = Math.max(own, look.wide) + look.padding.across + look.margin
    if (joined && look.display.startsWith('inline')) run.width += width
    else end(run)
    run.most = Math.max(run.most, width)
  }

  /** Cells stand beside each other. */
  #row(element: PageElement, run: Run): void {
    end(run)
    const cells = element.children.reduce((sum, cell) => {
      const look = this.#looks.of(cell)
      return look.hidden !== undefined ? sum : sum + this.leastWidth(cell) + look.padding.across + 2
    }, 0)
    run.most = Math.max(run.most, cells)
  }

  #text(text: string, look: Look, run: Run): void {
    this.#spend(text.length / 16)
    if (look.nowrap) {
      run.width += textWidth(text, look)
      run.most = Math.max(run.most, run.width)
      return
    }
    for (const [index, word] of text.split(/[ \t\n\r\f]+/).entries()) {
      if (index > 0) end(run)
      run.width += textWidth(word, look)
      run.most = Math.max(run.most, run.width)
    }
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > MOST_STEPS) throw new TooComplex('too much to measure')
  }
}

/** Of what is painted by itself, unless it is given a width. */
function fieldWidth({ name, attributes }: PageElement): number | undefined {
  if (!REPLACED.has(name)) return undefined
  if (name === 'input' && /^(?:hidden|checkbox|radio|image|submit|button|reset)$/i.test(attributes.get('type') ?? ''))
    return PICTURE
  return FIELDS.has(name) ? FIELD : PICTURE
}

function end(run: Run): void {
  run.most = Math.max(run.most, run.width)
  run.width = 0
}

export interface Fitting {
  readonly fitting: readonly { readonly text: string; readonly fits: boolean }[]
  /** The width of its last word, if it may go on. */
  readonly run: number
}

/** A text after a word that is already `run` wide, cut where something does not fit into `room`. */
export function fittingParts(text: string, look: Look, run: number, room: number): Fitting {
  const whole = { text, fits: true }
  if (look.nowrap) return unwrapped(text, look, run, room + 8)
  if (run === 0 && text.length * look.size.most < room) return { fitting: [whole], run: trailing(text, look, run) }
  const words = text.split(/([ \t\n\r\f]+)/)
  const parts = words.map((word, index) => ({
    text: word,
    fits: word.length * look.size.most < room - run || textWidth(word, look) + (index === 0 ? run : 0) <= room,
  }))
  return { fitting: joined(parts), run: trailing(text, look, run) }
}

/** Text whose lines are not broken: what stands at the start of a line still fits. */
function unwrapped(text: string, look: Look, before: number, room: number): Fitting {
  let run = before
  const parts = text.split(/(\n)|(?<=[ \t\f])/).flatMap((word) => {
    if (word === undefined || word === '') return []
    run = word === '\n' && look.preformatted ? 0 : run + textWidth(word, look)
    return [{ text: word, fits: run <= room }]
  })
  return { fitting: joined(parts), run }
}

function joined(parts: readonly { readonly text: string; readonly fits: boolean }[]): Fitting['fitting'] {
  const found: { text: string; fits: boolean }[] = []
  for (const { text, fits } of parts) {
    const last = found.at(-1)
    if (last?.fits === fits) last.text += text
    else found.push({ text, fits })
  }
  return found
}

function trailing(text: string, look: Look, run: number): number {
  const last = /[^ \t\n\r\f]*$/.exec(text.slice(-2000))?.[0] ?? ''
  return textWidth(last, look) + (last.length === text.length ? run : 0)
}

/** At most. */
function textWidth(text: string, { size, spacing, preformatted, nowrap }: Look): number {
  if (preformatted && nowrap) return (text.length + 7 * (text.split('\t').length - 1)) * (0.61 * size.most + spacing)
  let width = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    width += code > 0x7f ? 1.05 : code === 9 ? 5 : NARROW.has(code) ? 0.4 : code >= 0x61 || code < 0x41 ? 0.6 : 0.78
  }
  return width * size.most + spacing * text.length
}
