/**
 * The XML of an office file, element by element.
 *
 * INVARIANT: linear, bounded in depth and in what it holds; knows no entities but XML's own, no DTD and nothing outside of the file. Names are
 * told without their prefixes: which prefix stands for a namespace is the writer's choice.
 */
import { Parser } from 'htmlparser2'
import type { Archive } from './archive.ts'
import { type Ink, inkSight, PLAIN, type Sight, worse } from './ink.ts'

const MOST_DEPTH = 500
const MOST_ATTRIBUTES = 500
/** A tag or a comment: what the parser holds until it ends. */
const LONGEST_TAG = 262_144
const PIECE = 65_536

/** What holds of an element holds of all in it that comes after. */
export class Element {
  readonly name: string
  readonly parent: Element | undefined
  readonly #attributes: Readonly<Record<string, string>>
  /** Cannot be seen: left out, and counted. */
  hidden: boolean
  /** No text of the document: left out. */
  ignored: boolean
  /** Hidden by a style, which what stands in it may overrule. */
  styledAway: boolean
  /** What shows of it, or how, cannot be told. */
  doubtful: boolean
  /** How its text looks. */
  ink: Ink
  /** It has text already, or of its alternatives one was chosen. */
  settled = false

  constructor(name: string, attributes: Readonly<Record<string, string>>, parent: Element | undefined) {
    this.name = name
    this.parent = parent
    this.#attributes = attributes
    this.hidden = parent?.hidden ?? false
    this.ignored = parent?.ignored ?? false
    this.styledAway = parent?.styledAway ?? false
    this.doubtful = parent?.doubtful ?? false
    this.ink = parent?.ink ?? PLAIN
  }

  /** By its name without a prefix. */
  attribute(name: string): string | undefined {
    for (const key in this.#attributes) if (local(key) === name) return this.#attributes[key]
    return undefined
  }

  /** The one whose name has a prefix, where another of that name has none. */
  qualified(name: string): string | undefined {
    for (const key in this.#attributes) if (key.endsWith(`:${name}`)) return this.#attributes[key]
    return undefined
  }

  /** A number that an attribute says, if it says one. */
  number(name: string): number | undefined {
    const value = this.attribute(name)
    return value === undefined || value === '' ? undefined : Number.parseFloat(value)
  }

  look(changes: Partial<Ink>): void {
    this.ink = { ...this.ink, ...changes }
  }

  get sight(): Sight {
    if (this.hidden || this.styledAway) return 'hidden'
    const sight = inkSight(this.ink)
    return this.doubtful ? worse('uncertain', sight) : sight
  }

  /** The nearest element around this one that has one of these names. */
  around(...names: readonly string[]): Element | undefined {
    let element = this.parent
    while (element !== undefined && !names.includes(element.name)) element = element.parent
    return element
  }
}

export interface XmlEvents {
  open?(element: Element): void
  close?(element: Element): void
  text?(text: string, element: Element): void
  /** Asked between the pieces of a file: whether the rest need not be read. */
  enough?(): boolean
}

/** False when the file is longer than may be read. Throws where its outermost element is not `root`. */
export function readXml(archive: Archive, name: string, root: string, events: XmlEvents): boolean {
  const reader = new XmlReader(root, events)
  let decoder: TextDecoder | undefined
  const fits = archive.read(name, (piece) => {
    decoder ??= new TextDecoder(encodingOf(piece))
    reader.write(decoder.decode(piece, { stream: true }))
    return events.enough?.() !== true
  })
  if (fits) reader.end()
  return fits
}

/** For files that say what of the others can be seen: half of one is none. */
export function readWholeXml(archive: Archive, name: string, root: string, events: XmlEvents): void {
  if (!readXml(archive, name, root, events)) throw new Error('a file in the document is too long')
}

class XmlReader {
  readonly #parser: Parser
  readonly #root: string
  readonly #events: XmlEvents
  #top: Element | undefined
  #depth = 0
  #begun = false
  #attributes = 0
  /** Characters since the parser last told anything. */
  #held = 0

  constructor(root: string, events: XmlEvents) {
    this.#root = root
    this.#events = events
    this.#parser = new Parser(
      {
        onopentagname: () => {
          this.#attributes = 0
        },
        onattribute: () => {
          if (++this.#attributes > MOST_ATTRIBUTES) throw new Error('too many attributes')
        },
        onopentag: (name, attributes) => this.#open(name, attributes),
        onclosetag: () => this.#close(),
        ontext: (text) => this.#text(text),
        onprocessinginstruction: (name) => {
          if (name.startsWith('!')) throw new Error('a DTD in an office file')
        },
      },
      { xmlMode: true, decodeEntities: true },
    )
  }

  write(text: string): void {
    for (let at = 0; at < text.length; at += PIECE) {
      const piece = text.slice(at, at + PIECE)
      this.#held += piece.length
      this.#parser.write(piece)
      if (this.#held > LONGEST_TAG) throw new Error('a tag is too long')
    }
  }

  end(): void {
    if (!this.#begun) throw new Error('a file in the document is no XML')
  }

  #open(qualified: string, attributes: Record<string, string>): void {
    this.#held = 0
    if (++this.#depth > MOST_DEPTH) throw new Error('too deeply nested')
    const element = new Element(local(qualified), attributes, this.#top)
    if (!this.#begun && element.name !== this.#root) throw new Error('not the file that it should be')
    this.#begun = true
    this.#top = element
    chooseAlternative(element)
    this.#events.open?.(element)
  }

  #close(): void {
    const element = this.#top
    this.#held = 0
    if (element === undefined) return
    this.#depth--
    this.#events.close?.(element)
    this.#top = element.parent
  }

  #text(text: string): void {
    this.#held = 0
    if (this.#top !== undefined) this.#events.text?.(text, this.#top)
  }
}

/** What the programs of the day understand. */
const UNDERSTOOD = /^(?:(?:wp[sgci]|wp14|w1[456]\w*|[apx]1[456]\w*|v|o)(?:\s+|$))+$/

/** Of several versions of one thing the first that is understood is shown. */
function chooseAlternative(element: Element): void {
  const { name, parent } = element
  if (parent?.name !== 'AlternateContent' || (name !== 'Choice' && name !== 'Fallback')) return
  const understood = name === 'Fallback' || UNDERSTOOD.test(element.attribute('Requires') ?? '')
  if (parent.settled || !understood) element.ignored = true
  else parent.settled = true
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
