/**
 * HTML to HTML that loads nothing, runs nothing and hides nothing.
 *
 * INVARIANT: only the tags and attributes below come out, every tag closed, no style and no picture; at most `maxChars`
 * long, never cut inside of a tag, an entity or a character. What we write passes sanitize-html once more: our reading of
 * the page and that library's would both have to be wrong.
 */
import sanitizeHtml from 'sanitize-html'
import type { SafeHtml } from '../../core/content.ts'
import { cut } from '../../core/text/cut.ts'
import { cleanText } from '../../core/text/plain.ts'
import type { PageElement } from './html/nodes.ts'
import { readPage, type Sink } from './html/page.ts'
import { readLink } from './links.ts'

const TAGS = new Set(
  (
    'p div span br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code table caption thead tbody tfoot tr td th b strong ' +
    'i em u s strike del ins sub sup small big q cite abbr kbd samp var mark a center section article header footer'
  ).split(' '),
)
const EMPTY = new Set(['br', 'hr'])
// Browsers stop at about 500, the library slows down: deeper elements lose their tags, not their text.
const MAX_DEPTH = 100

const LIBRARY: sanitizeHtml.IOptions = {
  allowedTags: [...TAGS],
  allowedAttributes: { a: ['href', 'rel'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: MAX_DEPTH + 1,
  parseStyleAttributes: false,
}

export function safeHtml(html: string, maxChars: number): SafeHtml {
  return bounded(maxChars, (room) => {
    const writer = new HtmlWriter(room)
    const { findings } = readPage(html, writer)
    const written = writer.finish()
    return { html: written.html, truncated: written.truncated || findings.isIncomplete }
  })
}

/** Plain text as HTML. */
export function textAsHtml(text: string, maxChars: number): SafeHtml {
  return bounded(maxChars, (room) => {
    const writer = new HtmlWriter(room)
    writer.open('pre', '')
    writer.writeText(text)
    return writer.finish()
  })
}

/** The library may write a little more than we did: then once more, with less room. */
function bounded(maxChars: number, write: (room: number) => SafeHtml): SafeHtml {
  let room = maxChars
  for (let attempt = 0; attempt < 3; attempt++) {
    const { html, truncated } = write(room)
    const clean = sanitizeHtml(html, LIBRARY)
    if (clean.length <= maxChars) return { html: clean, truncated }
    room = Math.max(0, room - (clean.length - maxChars))
  }
  return { html: '', truncated: true }
}

class HtmlWriter implements Sink {
  readonly #room: number
  readonly #pieces: string[] = []
  /** The tags that are open in what was written; `undefined` for an element whose tag was left out. */
  readonly #open: (string | undefined)[] = []
  #depth = 0
  #used = 0
  /** What closing all open tags will take. */
  #owed = 0
  #truncated = false

  constructor(room: number) {
    this.#room = room
  }

  enter({ name, attributes }: PageElement): void {
    if (EMPTY.has(name)) {
      this.#put(`<${name} />`)
      this.#open.push(undefined)
      return
    }
    this.open(name, TAGS.has(name) ? keptAttributes(name, attributes) : '')
  }

  open(name: string, attributes: string): void {
    const closing = `</${name}>`
    const fits = TAGS.has(name) && this.#depth < MAX_DEPTH && this.#put(`<${name}${attributes}>`, closing.length)
    this.#open.push(fits ? name : undefined)
    if (!fits) return
    this.#depth++
    this.#owed += closing.length
  }

  leave(): void {
    const name = this.#open.pop()
    if (name === undefined) return
    const closing = `</${name}>`
    this.#owed -= closing.length
    this.#depth--
    this.#pieces.push(closing)
    this.#used += closing.length
  }

  /** What stands in the inputs of a form goes with the form, what takes the place of a picture with the picture. */
  text(text: string, element: PageElement): void {
    if (element.name !== 'input' && element.name !== 'img') this.writeText(text)
  }

  writeText(text: string): void {
    const whole = cleanText(text).text
    // Browsers drop blanks before the first text.
    const clean = this.#used === 0 ? whole.replace(/^[ \t\n\r\f]+/, '') : whole
    const escaped = escapeText(clean)
    if (this.#truncated || this.#put(escaped)) return
    // Escaping makes text longer: take what fits, then less of it until that does.
    let kept = cut(clean, this.#left).text
    while (kept !== '' && !this.#fits(escapeText(kept))) kept = cut(kept, Math.floor(kept.length * 0.9)).text
    this.#truncated = false
    this.#put(escapeText(kept))
    this.#truncated = true
  }

  finish(): SafeHtml {
    while (this.#open.length > 0) this.leave()
    return { html: this.#pieces.join(''), truncated: this.#truncated }
  }

  get #left(): number {
    return this.#room - this.#used - this.#owed
  }

  #fits(piece: string): boolean {
    return piece.length <= this.#left
  }

  #put(piece: string, owed = 0): boolean {
    if (this.#truncated || piece.length + owed > this.#left) {
      this.#truncated = true
      return false
    }
    this.#pieces.push(piece)
    this.#used += piece.length
    return true
  }
}

function keptAttributes(name: string, attributes: PageElement['attributes']): string {
  if (name === 'a') {
    const { target } = readLink(attributes.get('href') ?? '', '')
    return target === undefined ? '' : ` href="${escapeAttribute(target)}" rel="noopener noreferrer nofollow"`
  }
  const names = name === 'td' || name === 'th' ? ['colspan', 'rowspan'] : name === 'ol' ? ['start'] : []
  return names
    .map((attribute) => ({ attribute, value: attributes.get(attribute)?.trim() ?? '' }))
    .filter(({ value }) => /^\d{1,4}$/.test(value))
    .map(({ attribute, value }) => ` ${attribute}="${value}"`)
    .join('')
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function escapeAttribute(text: string): string {
  return escapeText(text).replace(/"/g, '&quot;')
}
