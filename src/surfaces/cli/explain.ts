/** `postern explain`: says at what level a caller sees one message, and why. For the operator, never through MCP. */
import { Failure } from '../../core/failure.ts'
import type { Verdict, VerdictReason } from '../../core/policy/folder.ts'
import type { ExplainChoice } from './choices.ts'
import type { Terminal } from './program.ts'

export interface Explanation {
  readonly verdict: Verdict
  /** The folder entry of the policy that speaks of it. */
  readonly path: string
  readonly mode: string
  readonly default: string
  readonly rules: readonly ExplainedRule[]
}

export interface ExplainedRule {
  readonly words: string
  readonly matched: boolean | 'cannot be evaluated'
  readonly level: string
}

export interface ExplainParts {
  explain(choice: ExplainChoice): Promise<Explanation>
  readonly terminal: Terminal
}

export async function explain(choice: ExplainChoice, { explain: find, terminal }: ExplainParts): Promise<number> {
  try {
    terminal.print(report(choice, await find(choice)))
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}

function report({ caller, account, folder, uid }: ExplainChoice, { verdict, rules, ...entry }: Explanation): string {
  const lines = [
    `${caller} sees message ${uid} of ${account}, ${folder}, at ${verdict.level} (${reasonText(verdict.reason)})`,
    `by the entry ${entry.path}: ${entry.mode}, default ${entry.default}`,
    ...rules.map(({ words, matched, level }) => `  ${mark(matched)} ${level.padEnd(8)} ${words}`),
    ...(rules.length === 0 ? ['  it has no rules'] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** Their names speak of senders only, since agents know them so; rules look at more than that. */
function reasonText(reason: VerdictReason): string {
  if (reason === 'sender_not_whitelisted') return `${reason}: no rule lets it through`
  return reason === 'sender_blacklisted' ? `${reason}: a rule or the default holds it back` : reason
}

function mark(matched: ExplainedRule['matched']): string {
  if (matched === 'cannot be evaluated') return '[!] '
  return matched ? '[x] ' : '[ ] '
}
