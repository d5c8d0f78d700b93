/** `toolsets` of a caller. */

import { nearest } from '../../core/text/nearest.ts'
import { type Fields, quoted } from './fields.ts'
import type { Node } from './node.ts'
import type { Findings } from './problems.ts'

const KNOWN = ['imap', 'policy', 'inbox', 'outbox']

/** As written; absent for the default. */
export function readToolsets(fields: Fields, findings: Findings): readonly string[] | undefined {
  const items = fields.items('toolsets')
  if (items === undefined) return undefined
  if (items.length === 0)
    fields.problem('toolsets', 'toolsets is empty; write at least one of imap, policy, inbox, outbox, or leave it out')
  const names = items.map(nameOf)
  for (const [index, item] of items.entries()) {
    const problem = problemOf(names, index)
    if (problem !== undefined) findings.problem(item.at, problem)
  }
  return names
}

function problemOf(names: readonly string[], index: number): string | undefined {
  const name = names[index] ?? ''
  if (!KNOWN.includes(name)) {
    return `unknown tool set${quoted(name)}; write ${nearest(name, KNOWN) ?? `one of ${KNOWN.join(', ')}`} instead`
  }
  if (names.indexOf(name) < index) return `${name} is listed already; write it once instead`
  if (name === 'inbox' && names.includes('policy')) {
    return 'policy and inbox both define create_draft; write only one of them instead'
  }
  return undefined
}

function nameOf(item: Node): string {
  return item.kind === 'scalar' ? String(item.value) : ''
}
