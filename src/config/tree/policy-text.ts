/**
 * The text of one policy file, read as if it lay in the tree.
 *
 * INVARIANT: changes nothing. Every problem of the text is found before any is reported.
 */
import type { PolicyDefinition } from '../../core/policy/policy.ts'
import { parseYaml } from './document.ts'
import { readPolicyFile } from './policies.ts'
import { Findings, type Problem, TreeProblems, wholeFile } from './problems.ts'

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
  try {
    findings.throwProblems()
  } catch (error) {
    if (error instanceof TreeProblems) return error.problems
    throw error
  }
  return read?.definition ?? [{ ...wholeFile(FILE), message: 'this is no policy; write name: and accounts: instead' }]
}
