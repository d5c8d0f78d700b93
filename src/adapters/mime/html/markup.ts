/**
 * HTML to tags, text and comments, as browsers cut it.
 *
 * INVARIANT: linear in the size of the input, without recursion, whatever the input; attribute names are in lower case,
 * the first of a name counts, entities are resolved.
 */
import { Tokenizer } from 'htmlparser2'

export type Attributes = ReadonlyMap<string, string>

export interface MarkupEvents {
  open(name: string, attributes: Attributes, selfClosing: boolean): void
  close(name: string): void
  text(text: string): void
  comment(text: string): void
  /** `<!doctype …>` and its like. */
  declaration?(text: string): void
  /** What stands in a tag without effect: a repeated attribute, whatever follows the name in an end tag, a tag without an end. */
  ineffective?(text: string): void
  /** Whether the tag just opened stands in SVG or MathML, where other rules hold. */
  inForeignContent(): boolean
  /** Whether the rest, after the tag that ends at `at`, need not be read. */
  isEnough?(at: number): boolean
}

export const NO_ATTRIBUTES: Attributes = new Map()

export function readMarkup(html: string, events: MarkupEvents): void {
  let name = ''
  let attributes: Map<string, string> | undefined
  let attribute = ''
  let value: string[] = []
  /** Where a tag that has not ended yet begins. */
  let unfinished: number | undefined
  // Entities and stray `<` cut text into many pieces: it is handed over whole.
  let pieces: string[] = []
  const flush = () => {
    if (pieces.length === 0) return
    const text = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
    pieces = []
    events.text(text)
  }
  const ended = (at: number) => {
    if (events.isEnough?.(at) === true) tokenizer.pause()
  }
  const opened = (selfClosing: boolean, at: number) => {
    flush()
    events.open(name, attributes ?? NO_ATTRIBUTES, selfClosing)
    attributes = undefined
    unfinished = undefined
    ended(at)
  }
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase()
        unfinished = start
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase()
        value = []
      },
      onattribdata(start, end) {
        value.push(html.slice(start, end))
      },
      onattribentity(codePoint) {
        value.push(String.fromCodePoint(codePoint))
      },
      onattribend() {
        attributes ??= new Map()
        const whole = value.length === 1 ? (value[0] ?? '') : value.join('')
        if (attributes.has(attribute)) events.ineffective?.(`${attribute}="${whole}"`)
        else attributes.set(attribute, whole)
        value = []
      },
      onopentagend: (end) => opened(false, end),
      onselfclosingtag: (end) => opened(true, end),
      onclosetag(start, end) {
        flush()
        events.close(html.slice(start, end).toLowerCase())
        if (events.ineffective !== undefined && html[end] !== '>') events.ineffective(untilTagEnd(html, end))
        ended(end)
      },
      ontext: (start, end) => void pieces.push(html.slice(start, end)),
      ontextentity: (codePoint) => void pieces.push(String.fromCodePoint(codePoint)),
      oncomment(start, end, cut) {
        flush()
        events.comment(html.slice(start, end - cut))
      },
      oncdata(start, end, cut) {
        flush()
        const text = html.slice(start, end - cut)
        if (events.inForeignContent()) events.text(text)
        else events.comment(text)
      },
      ondeclaration(start, end) {
        if (events.declaration === undefined) return
        flush()
        events.declaration(html.slice(start, end))
      },
      onprocessinginstruction: (start, end) => events.comment(html.slice(start, end)),
      onend() {},
      isInForeignContext: () => events.inForeignContent(),
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  flush()
  if (unfinished !== undefined) events.ineffective?.(html.slice(unfinished))
}

function untilTagEnd(html: string, from: number): string {
  const end = html.indexOf('>', from)
  return html.slice(from, end === -1 ? html.length : end)
}
