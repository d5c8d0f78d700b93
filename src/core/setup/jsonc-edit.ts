/**
 * Changes one entry of a JSON text that belongs to somebody else.
 *
 * INVARIANT: every byte outside that entry and the comma before it stays as it is, comments and odd spellings too. What is no
 * JSON, or has something else where the entry should go, is refused and not touched.
 */
import { Failure } from '../failure.ts'
import { type JsonNode, memberNamed, type ObjectNode, readJsonc } from './jsonc.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** The text of the entry as it stands, undefined where there is none. */
export function entryIn(text: string, path: readonly string[]): string | undefined {
  if (text.trim() === '') return undefined
  let node: JsonNode = rootOf(text)
  for (const key of path) {
    const member: JsonNode | undefined = node.kind === 'object' ? memberNamed(node, key)?.value : undefined
    if (member === undefined) return undefined
    node = member
  }
  return text.slice(node.start, node.end)
}

export function withEntry(text: string, path: readonly string[], value: Json): string {
  if (text.replace(/^\ufeff/, '').trim() === '') return `${pretty(nested(path, value), '', '  ', '\n')}\n`
  const manner = mannerOf(text)
  let node = rootOf(text)
  for (const [depth, key] of path.entries()) {
    const member = memberNamed(node, key)
    const last = depth === path.length - 1
    if (member === undefined) return inserted(text, node, key, nested(path.slice(depth + 1), value), manner)
    if (last) {
      const shown = pretty(value, indentAt(text, member.start), manner.unit, manner.eol)
      return text.slice(0, member.value.start) + shown + text.slice(member.value.end)
    }
    node = objectAt(member.value, key)
  }
  throw new Error('a path has at least one key')
}

/** As it is where there is no such entry. */
export function withoutEntry(text: string, path: readonly string[]): string {
  if (text.trim() === '') return text
  let node = rootOf(text)
  for (const key of path.slice(0, -1)) {
    const next = memberNamed(node, key)?.value
    if (next === undefined || next.kind !== 'object') return text
    node = next
  }
  const key = path.at(-1) ?? ''
  // A key that is written twice goes as often.
  return memberNamed(node, key) === undefined ? text : withoutEntry(cut(text, node, key), path)
}

function cut(text: string, node: ObjectNode, key: string): string {
  const at = node.members.findLastIndex((member) => member.key === key)
  const member = node.members[at]
  if (member === undefined) return text
  const begin = lineStart(text, member.start)
  const end = member.comma === undefined ? member.value.end : member.comma + 1
  const rest = text.slice(0, begin) + text.slice(end)
  const comma = node.members[at - 1]?.comma
  // Without a member behind it, the comma before it would have nothing to part.
  if (member.comma !== undefined || comma === undefined) return rest
  return rest.slice(0, comma) + rest.slice(comma + 1)
}

interface Manner {
  readonly unit: string
  readonly eol: string
}

function mannerOf(text: string): Manner {
  return { unit: /\n([ \t]+)["/]/.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

function inserted(text: string, node: ObjectNode, key: string, value: Json, { unit, eol }: Manner): string {
  const last = node.members.at(-1)
  const closing = node.end - 1
  const outer = indentAt(text, node.start)
  const inline = last !== undefined && !text.slice(node.start, last.start).includes('\n')
  if (inline) {
    const comma = last.comma ?? last.value.end
    const [before, after] = [text.slice(0, last.value.end), text.slice(last.comma === undefined ? comma : comma + 1)]
    const between = last.comma === undefined ? '' : text.slice(last.value.end, comma)
    return `${before}${between}, ${JSON.stringify(key)}: ${JSON.stringify(value)}${after}`
  }
  const indent = last === undefined ? outer + unit : indentAt(text, last.start)
  const line = `${eol}${indent}${JSON.stringify(key)}: ${pretty(value, indent, unit, eol)}`
  // What stands before the closing brace, comments too, stays before the new entry.
  const tail = text.slice(0, closing).trimEnd().length
  const ending = text.slice(tail, closing).includes('\n') ? text.slice(tail) : `${eol}${outer}${text.slice(closing)}`
  const head = text.slice(0, tail)
  if (last === undefined || last.comma !== undefined) return head + line + ending
  return `${head.slice(0, last.value.end)},${head.slice(last.value.end)}${line}${ending}`
}

function rootOf(text: string): ObjectNode {
  const root = readJsonc(text)
  if (root.kind === 'object') return root
  throw new Failure('conflict', 'the file holds something else than a JSON object')
}

function objectAt(node: JsonNode, key: string): ObjectNode {
  if (node.kind === 'object') return node
  throw new Failure('conflict', `"${key}" in the file is something else than an object`)
}

function nested(path: readonly string[], value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)
}

function pretty(value: Json, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`)
}

/** The blanks at the beginning of the line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''
}

/** Back over the blanks before an entry, and over the line break where it has a line of its own. */
function lineStart(text: string, at: number): number {
  const blanks = text.slice(0, at).replace(/[ \t]+$/, '').length
  const before = text[blanks - 1]
  if (before !== '\n') return blanks
  return text[blanks - 2] === '\r' ? blanks - 2 : blanks - 1
}
