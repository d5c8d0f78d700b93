/** SEARCH, with and without RETURN (RFC 4731). Gmail has no SORT. */
import { KeyReader } from './search-keys.ts'
import { BadCommand, itemsOf, type Node, textOf } from './syntax.ts'
import type { Seen, View } from './view.ts'

export type SearchAnswer = { readonly untagged: string } | { readonly refusal: string }

export function search(view: View, tag: string, args: readonly Node[], byUid: boolean): SearchAnswer {
  const nodes = [...args]
  const returns = takeReturn(nodes)
  const charset = takeCharset(nodes)
  if (charset !== undefined && !['UTF-8', 'US-ASCII'].includes(charset)) {
    return { refusal: 'NO [BADCHARSET (UTF-8)] Unknown charset (Failure)' }
  }
  const test = new KeyReader(nodes, view, charset === 'UTF-8').all()
  const numbers = view
    .messages()
    .filter(test)
    .map((seen: Seen) => (byUid ? seen.uid : seen.number))
  const untagged =
    returns === undefined
      ? `* SEARCH${numbers.map((n) => ` ${n}`).join('')}\r\n`
      : extended(tag, returns, numbers, byUid)
  return { untagged }
}

function takeReturn(nodes: Node[]): readonly string[] | undefined {
  if (!isAtom(nodes[0], 'RETURN')) return undefined
  const [, options] = nodes.splice(0, 2)
  const named = itemsOf(options).map((option) => textOf(option).toUpperCase())
  if (!named.every((name) => ['MIN', 'MAX', 'ALL', 'COUNT'].includes(name))) throw new BadCommand()
  return named.length === 0 ? ['ALL'] : named
}

function takeCharset(nodes: Node[]): string | undefined {
  if (!isAtom(nodes[0], 'CHARSET')) return undefined
  const [, charset] = nodes.splice(0, 2)
  return textOf(charset).toUpperCase()
}

function isAtom(node: Node | undefined, name: string): boolean {
  return node?.kind === 'atom' && node.text.toUpperCase() === name
}

function extended(tag: string, returns: readonly string[], numbers: readonly number[], byUid: boolean): string {
  const some = numbers.length > 0
  const values: Readonly<Record<string, string | undefined>> = {
    MIN: some ? `MIN ${numbers[0]}` : undefined,
    MAX: some ? `MAX ${numbers.at(-1)}` : undefined,
    ALL: some ? `ALL ${numbers.join(',')}` : undefined,
    COUNT: `COUNT ${numbers.length}`,
  }
  const parts = returns.flatMap((name) => values[name] ?? [])
  return `* ESEARCH (TAG "${tag}")${[byUid ? 'UID' : [], parts]
    .flat()
    .map((part) => ` ${part}`)
    .join('')}\r\n`
}
