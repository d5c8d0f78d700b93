/**
 * The text of one policy file, or of callers.yaml, read as if it lay in the tree.
 *
 * INVARIANT: changes nothing. Every problem of the text is found before any is reported.
 */
import type { PolicyDefinition } from '../../core/policy/policy.ts'
import { readCallersFile } from './callers.ts'
import { parseYaml } from './document.ts'
import { readPolicyFile } from './policies.ts'
import { Findings, type Problem, TreeProblems, wholeFile } from './problems.ts'
import type { TreeCaller } from './tree.ts'

const FILE = 'policy'

/** `accounts` are those that the tree has. */
export function readPolicyText(text: string, accounts: readonly string[]): PolicyDefinition | readonly Problem[] {
  const findings = new Findings()
  const root = parseYaml(text, FILE, 'write a policy', findings)
  const read = root && readPolicyFile(root, findings)
  for (const { id, at } of read?.accounts ?? []) {
    if (!accounts.includes(id)) {
      findings.problem(at, `there is no such account; write one of ${accounts.slice(0, 8).join(', ')} instead`)
    }
  }
  return (
    problemsIn(findings) ??
    read?.definition ?? [{ ...wholeFile(FILE), message: 'this is no policy; write name: and accounts: instead' }]
  )
}

/** Undefined where it is no list of callers. `policies` are the names that the tree has. */
export function readCallersText(
  text: string,
  policies: readonly string[],
): readonly TreeCaller[] | { readonly problems: readonly Problem[] } | undefined {
  const findings = new Findings()
  const root = parseYaml(text, FILE, 'write callers', findings)
  if (root?.kind !== 'mapping' || !root.entries.some(({ key }) => key === 'callers')) return undefined
  const read = readCallersFile(root, findings) ?? []
  for (const { caller, policyAt } of read) {
    if (!policies.includes(caller.policy)) {
      findings.problem(policyAt, `there is no such policy; write one of ${policies.slice(0, 8).join(', ')} instead`)
    }
  }
  const problems = problemsIn(findings)
  return problems === undefined ? read.map(({ caller }) => caller) : { problems }
}

function problemsIn(findings: Findings): readonly Problem[] | undefined {
  try {
    findings.throwProblems()
    return undefined
  } catch (error) {
    if (error instanceof TreeProblems) return error.problems
    throw error
  }
}
