/** What a client's command is made of. Strings have one character for each byte. */

export type Node =
  | { readonly kind: 'atom'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Node[] }

/** A command as it came: the text between its literals, and the literals. */
export interface Command {
  readonly tag: string
  readonly segments: readonly string[]
  readonly literals: readonly Buffer[]
}

/** A client's mistake. The message is what Gmail says. */
export class BadCommand extends Error {
  constructor(message = 'Could not parse command') {
    super(message)
  }
}

const ATOM_END = /[ ()"]/

/** Everything behind the tag. */
export function parse({ segments, literals }: Pick<Command, 'segments' | 'literals'>): readonly Node[] {
  const stack: Node[][] = [[]]
  const add = (node: Node): void => {
    stack.at(-1)?.push(node)
  }
  for (const [index, segment] of segments.entries()) {
    const before = literals[index - 1]
    if (before !== undefined) add({ kind: 'string', text: before.toString('latin1') })
    for (let at = 0; at < segment.length; ) at = readOne(segment, at, stack, add)
  }
  const [nodes] = stack
  if (nodes === undefined || stack.length !== 1) throw new BadCommand()
  return nodes
}

function readOne(text: string, at: number, stack: Node[][], add: (node: Node) => void): number {
  const character = text[at]
  if (character === ' ') return at + 1
  if (character === '(') {
    stack.push([])
    return at + 1
  }
  if (character === ')') {
    const items = stack.pop()
    if (items === undefined || stack.length === 0) throw new BadCommand()
    add({ kind: 'list', items })
    return at + 1
  }
  if (character === '"') {
    const [whole, inside = ''] = /^"((?:[^"\\\r\n]|\\["\\])*)"/.exec(text.slice(at)) ?? []
    if (whole === undefined) throw new BadCommand()
    add({ kind: 'string', text: inside.replace(/\\(.)/g, '$1') })
    return at + whole.length
  }
  const end = atomEnd(text, at)
  add({ kind: 'atom', text: text.slice(at, end) })
  return end
}

/** `BODY[HEADER.FIELDS (DATE FROM)]<0.5>` is one item, whatever stands in its brackets. */
function atomEnd(text: string, start: number): number {
  let at = start
  let inside = false
  while (at < text.length && (inside || !ATOM_END.test(text[at] ?? ' '))) {
    if (text[at] === '[' && /^BODY(?:\.PEEK)?$/i.test(text.slice(start, at))) inside = true
    if (text[at] === ']') inside = false
    at += 1
  }
  return at
}

/** An atom or a string. */
export function textOf(node: Node | undefined): string {
  if (node === undefined || node.kind === 'list') throw new BadCommand()
  return node.text
}

export function atomOf(node: Node | undefined): string {
  if (node?.kind !== 'atom') throw new BadCommand()
  return node.text
}

/** The items of a list, or the one thing that stands in its place. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  if (node === undefined) throw new BadCommand()
  return node.kind === 'list' ? node.items : [node]
}

/** `1:4,7,9:*` as a test, where `*` is `last`. */
export function inSet(set: string, last: number): (number: number) => boolean {
  if (!/^(?:(?:[1-9][0-9]*|\*)(?::(?:[1-9][0-9]*|\*))?(?:,|$))+$/.test(set) || set.endsWith(',')) throw new BadCommand()
  const ranges = set.split(',').map((range) => {
    const [from = '', to = from] = range.split(':')
    const ends = [from, to].map((end) => (end === '*' ? last : Number(end)))
    return { low: Math.min(...ends), high: Math.max(...ends) }
  })
  return (number) => ranges.some(({ low, high }) => number >= low && number <= high)
}
