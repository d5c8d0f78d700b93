/**
 * YAML text into nodes with places.
 *
 * INVARIANT: total, and in time that grows with the text alone: keys are compared and aliases followed here and not by
 * the library, which looks through the whole document for each of them. Tags and merge keys are refused.
 */
import { type Document, isAlias, isCollection, isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml'
import type { Entry, Node } from './node.ts'
import { type Findings, type Place, wholeFile } from './problems.ts'
import { SYNTAX_ADVICE } from './syntax-advice.ts'

const DEEPEST = 50
/** Far more than a file of the size that we read holds, unless aliases multiply it. */
const MOST_NODES = 250_000
/** One slip in the syntax makes much that follows look wrong. */
const SYNTAX_PROBLEMS_TOLD = 5

/** Absent where the file is no YAML that we read; then that has been told. `ifEmpty` says what to do with an empty one. */
export function parseYaml(text: string, file: string, ifEmpty: string, findings: Findings): Node | undefined {
  const lines = new LineCounter()
  const document = parsed(text, lines)
  if (document === undefined) {
    findings.unparsed(wholeFile(file), 'this cannot be read as YAML; write plain keys and values instead')
    return undefined
  }
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (tellSyntax(document.errors, placeAt, findings)) return undefined
  if (document.contents === null) {
    findings.unparsed(wholeFile(file), `the file is empty; ${ifEmpty}`)
    return undefined
  }
  const reader = new DocumentReader(placeAt, findings)
  return reader.read(document.contents)
}

/** Absent where the library gives up, which none of the ways we know of makes it do. */
function parsed(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      strict: true,
      stringKeys: true,
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter,
    })
  } catch {
    return undefined
  }
}

function tellSyntax(errors: Document['errors'], placeAt: (offset: number) => Place, findings: Findings): boolean {
  const told = new Set<number>()
  for (const { code, pos } of errors) {
    const at = placeAt(pos[0])
    if (told.has(at.line)) continue
    findings.unparsed(at, SYNTAX_ADVICE[code])
    if (told.add(at.line).size === SYNTAX_PROBLEMS_TOLD) break
  }
  return told.size > 0
}

class DocumentReader {
  readonly #placeAt: (offset: number) => Place
  readonly #findings: Findings
  readonly #anchors = new Map<string, Node>()
  /** How much each node holds when aliases are written out. */
  readonly #weights = new Map<Node, number>()
  #broken = false

  constructor(placeAt: (offset: number) => Place, findings: Findings) {
    this.#placeAt = placeAt
    this.#findings = findings
  }

  read(contents: unknown): Node | undefined {
    const root = this.#node(contents, this.#placeAt(0), 0)
    if (this.#weightOf(root) > MOST_NODES) {
      this.#refuse(
        wholeFile(root.at.file),
        'the file holds too much once its aliases are written out; write less instead',
      )
    }
    return this.#broken ? undefined : root
  }

  #node(node: unknown, parent: Place, depth: number): Node {
    const at = rangeOf(node) === undefined ? parent : this.#placeAt(rangeOf(node) ?? 0)
    if (depth > DEEPEST) return this.#refuse(at, 'this is nested too deeply; write it flatter instead')
    if (isAlias(node)) return this.#aliased(node.source, at)
    if (!isScalar(node) && !isCollection(node)) return { kind: 'scalar', at, value: null }
    if (node.tag !== undefined) return this.#refuse(at, SYNTAX_ADVICE.TAG_RESOLVE_FAILED)
    const read = isScalar(node) ? scalar(node.value, at) : this.#collection(node, at, depth)
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, read)
    return read
  }

  #collection(node: { readonly items: readonly unknown[] }, at: Place, depth: number): Node {
    if (isMap(node)) {
      const entries = this.#entries(node.items, depth)
      return this.#weighed(
        { kind: 'mapping', at, entries },
        entries.map(({ value }) => value),
      )
    }
    const items = node.items.map((item) => this.#node(item, at, depth + 1))
    return this.#weighed({ kind: 'list', at, items }, items)
  }

  #entries(pairs: readonly Pair[], depth: number): Entry[] {
    const entries = new Map<string, Entry>()
    for (const { key, value } of pairs) {
      const at = this.#placeAt(rangeOf(key) ?? 0)
      const name = isScalar(key) ? String(key.value) : ''
      const earlier = entries.get(name)
      const read = this.#node(value, at, depth + 1)
      if (earlier !== undefined)
        this.#refuse(at, `this key is on line ${earlier.at.line} already; write it once instead`)
      else entries.set(name, { key: name, at, value: read })
    }
    return [...entries.values()]
  }

  /** An anchor that is still open would hold itself. */
  #aliased(name: string, at: Place): Node {
    const meant = this.#anchors.get(name)
    return meant ?? this.#refuse(at, SYNTAX_ADVICE.BAD_ALIAS)
  }

  #weighed(node: Node, children: readonly Node[]): Node {
    this.#weights.set(
      node,
      children.reduce((sum, child) => sum + this.#weightOf(child), 1),
    )
    return node
  }

  #weightOf(node: Node): number {
    return this.#weights.get(node) ?? 1
  }

  #refuse(at: Place, message: string): Node {
    this.#broken = true
    this.#findings.unparsed(at, message)
    return { kind: 'scalar', at, value: null }
  }
}

function rangeOf(node: unknown): number | undefined {
  return isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[0] : undefined
}

function scalar(value: unknown, at: Place): Node {
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
  return { kind: 'scalar', at, value: plain }
}
