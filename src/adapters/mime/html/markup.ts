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
  const attributes = new OpenAttributes(html, events)
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
    events.open(name, attributes.take(), selfClosing)
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
      onattribname: (start, end) => attributes.begin(start, end),
      onattribdata: (start, end) => attributes.add(html.slice(start, end)),
      onattribentity: (codePoint) => attributes.add(String.fromCodePoint(codePoint)),
      onattribend: () => attributes.end(),
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

/** The attributes of the tag that is being read. */
class OpenAttributes {
  readonly #html: string
  readonly #events: MarkupEvents
  #known: Map<string, string> | undefined
  #name = ''
  #value: string[] = []

  constructor(html: string, events: MarkupEvents) {
    this.#html = html
    this.#events = events
  }

  begin(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase()
    this.#value = []
  }

  add(piece: string): void {
    this.#value.push(piece)
  }

  end(): void {
    this.#known ??= new Map()
    const value = this.#value.length === 1 ? (this.#value[0] ?? '') : this.#value.join('')
    if (this.#known.has(this.#name)) this.#events.ineffective?.(`${this.#name}="${value}"`)
    else this.#known.set(this.#name, value)
    this.#value = []
  }

  take(): Attributes {
    const known = this.#known ?? NO_ATTRIBUTES
    this.#known = undefined
    return known
  }
}

function untilTagEnd(html: string, from: number): string {
  const end = html.indexOf('>', from)
  return html.slice(from, end === -1 ? html.length : end)
}
