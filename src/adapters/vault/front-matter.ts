/**
 * The front matter of a file: YAML between two lines of `---`.
 *
 * INVARIANT: total. A value is the text that stands there, never what YAML makes of it: a number keeps its zeros. Aliases and
 * tags are refused, and so is a key that comes twice in any letter case: no two readers could understand such a file differently.
 */
import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, visit } from 'yaml'

export interface FrontMatter {
  /** By key in lower case. */
  readonly fields: ReadonlyMap<string, string | readonly string[]>
  /** As it stands there. */
  readonly source: string
  /** Where in it each key and its value stand, to the end of their last line. */
  readonly places: ReadonlyMap<string, Place>
  /** What comes after it. */
  readonly rest: string
}

interface Place {
  readonly from: number
  readonly to: number
}

const OPENING = /^\ufeff?---[ \t]*\r?\n/
const CLOSING = /\n---[ \t]*(?:\r?\n|$)/

/** Undefined where it is no front matter that we read. */
export function parseFrontMatter(text: string): FrontMatter | undefined {
  const [opening] = OPENING.exec(text) ?? []
  if (opening === undefined) return undefined
  // The line break before the closing line may be that of the opening one.
  const after = text.slice(opening.length - 1)
  const closing = CLOSING.exec(after)
  if (closing === null) return undefined
  const source = after.slice(1, closing.index + 1)
  const document = documentOf(source)
  const fields = document && fieldsOf(document)
  if (document === undefined || fields === undefined) return undefined
  const rest = after.slice(closing.index + closing[0].length)
  return { fields, source, places: placesOf(document, source), rest }
}

/** The same with these lines in the place of theirs; undefined where it could not be read afterwards. */
export function withLines(
  { source, places, rest }: FrontMatter,
  lines: ReadonlyMap<string, string>,
): string | undefined {
  const cuts = [...places].filter(([key]) => lines.has(key)).map(([, place]) => place)
  let kept = source
  for (const { from, to } of cuts.toSorted((a, b) => b.from - a.from)) kept = kept.slice(0, from) + kept.slice(to)
  const text = `---\n${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}${[...lines.values()].join('\n')}\n---\n${rest}`
  const again = parseFrontMatter(text)
  return again !== undefined && [...lines.keys()].every((key) => again.fields.has(key)) ? text : undefined
}

function documentOf(yaml: string): Document.Parsed | undefined {
  try {
    const document = parseDocument(yaml, {
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      strict: true,
      stringKeys: true,
      // They are compared below: the library looks through all of them for each.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    })
    return document.errors.length > 0 || !isPlain(document) ? undefined : document
  } catch {
    return undefined
  }
}

function isPlain(document: Document.Parsed): boolean {
  let plain = true
  const refuse = (): symbol => {
    plain = false
    return visit.BREAK
  }
  visit(document, {
    Alias: refuse,
    Node: (_, { tag, anchor }: { readonly tag?: unknown; readonly anchor?: unknown }) =>
      tag === undefined && anchor === undefined ? undefined : refuse(),
  })
  return plain
}

function fieldsOf({ contents }: Document.Parsed): FrontMatter['fields'] | undefined {
  if (!isMap(contents)) return undefined
  const fields = new Map<string, string | readonly string[]>()
  const seen = new Set<string>()
  for (const { key, value } of contents.items) {
    const name = textOf(key)?.toLowerCase()
    if (name === undefined || seen.has(name)) return undefined
    seen.add(name)
    const read = value === null ? '' : (textOf(value) ?? textsOf(value))
    if (read !== undefined) fields.set(name, read)
    else if (KNOWN.has(name)) return undefined
  }
  return fields
}

function placesOf({ contents }: Document.Parsed, source: string): FrontMatter['places'] {
  const places = new Map<string, Place>()
  for (const { key, value } of isMap(contents) ? contents.items : []) {
    const [from, , end] = rangeOf(key)
    const to = Math.max(end, rangeOf(value)[1])
    places.set(textOf(key)?.toLowerCase() ?? '', { from, to: source[to - 1] === '\n' ? to : endOfLine(source, to) })
  }
  return places
}

function rangeOf(node: unknown): readonly [number, number, number] {
  return isNode(node) && node.range ? node.range : [0, 0, 0]
}

function endOfLine(source: string, at: number): number {
  const found = source.indexOf('\n', at)
  return found === -1 ? source.length : found + 1
}

/** What a person keeps under other names may have any shape. */
const KNOWN: ReadonlySet<string> = new Set(
  'id digest type status to cc bcc subject thread_id account approved_at created'.split(' '),
)

function textOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined
  const text = node.source ?? (typeof node.value === 'string' ? node.value : '')
  return text.trim()
}

function textsOf(node: unknown): readonly string[] | undefined {
  if (!isSeq(node)) return undefined
  const texts = node.items.map(textOf)
  return texts.some((text) => text === undefined) ? undefined : texts.map((text) => text ?? '')
}
