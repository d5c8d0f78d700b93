/** The tool sets there are, by name. */
import { Failure } from './core/failure.ts'
import { imapSet } from './surfaces/tools/imap/set.ts'
import { policySet } from './surfaces/tools/policy/set.ts'
import type { ToolSet } from './surfaces/tools/tool.ts'

const SETS: readonly ToolSet[] = [imapSet, policySet]

export function setsNamed(names: readonly string[]): readonly ToolSet[] {
  const known = SETS.map(({ name }) => name).join(', ')
  if (names.length === 0) throw new Failure('invalid_input', `no tool set is named; there are: ${known}`)
  return [...new Set(names)].map((name) => {
    const set = SETS.find((candidate) => candidate.name === name)
    if (set !== undefined) return set
    throw new Failure('invalid_input', `there is no tool set "${name}"; there are: ${known}`)
  })
}
