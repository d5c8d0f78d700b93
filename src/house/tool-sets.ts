/** The tool sets there are, by name. */
import { Failure } from '../core/failure.ts'
import { imapSet } from '../surfaces/tools/imap/set.ts'
import { inboxSet } from '../surfaces/tools/inbox/set.ts'
import { outboxSet } from '../surfaces/tools/outbox/set.ts'
import { policySet } from '../surfaces/tools/policy/set.ts'
import type { ToolSet } from '../surfaces/tools/tool.ts'

const SETS: readonly ToolSet[] = [imapSet, policySet, inboxSet, outboxSet]

export function setsNamed(names: readonly string[]): readonly ToolSet[] {
  const known = SETS.map(({ name }) => name).join(', ')
  if (names.length === 0) throw new Failure('invalid_input', `no tool set is named; there are: ${known}`)
  const sets = [...new Set(names)].map((name) => {
    const set = SETS.find((candidate) => candidate.name === name)
    if (set !== undefined) return set
    throw new Failure('invalid_input', `there is no tool set "${name}"; there are: ${known}`)
  })
  mustBeDistinct(sets)
  return sets
}

/** A client knows a tool by its name alone. */
function mustBeDistinct(sets: readonly ToolSet[]): void {
  const owners = new Map<string, string>()
  for (const { name: set, tools } of sets) {
    for (const { name } of tools) {
      const other = owners.get(name)
      if (other !== undefined) {
        throw new Failure('invalid_input', `${other} and ${set} both define ${name}; ask for only one of them`)
      }
      owners.set(name, set)
    }
  }
}
