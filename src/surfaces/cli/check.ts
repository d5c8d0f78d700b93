/**
 * `postern check`: validates a configuration tree and says in plain words what each caller may do; without one, what a
 * server offers.
 */
import { Failure } from '../../core/failure.ts'
import { count } from '../../core/text/count.ts'
import { type CheckedEnvironment, environmentReport } from './check-environment.ts'
import type { CheckChoice } from './choices.ts'
import type { Terminal } from './program.ts'

export interface CheckedTree {
  readonly directory: string
  readonly accounts: readonly string[]
  readonly callers: readonly CheckedCaller[]
  readonly warnings: readonly string[]
}

export interface CheckedCaller {
  readonly id: string
  /** How it proves who it is, and which tools it gets. */
  readonly entrance: string
  /** What its policy allows, line by line. */
  readonly words: readonly string[]
}

export interface CheckParts {
  /** What a server would serve without a tree; undefined where it would use one, or has nothing. */
  environment(choice: CheckChoice): Promise<CheckedEnvironment | undefined>
  check(choice: CheckChoice): Promise<CheckedTree>
  readonly terminal: Terminal
}

export async function check(choice: CheckChoice, parts: CheckParts): Promise<number> {
  const { terminal } = parts
  const tell = (text: string, warnings: readonly string[]): void => {
    terminal.print(text)
    for (const warning of warnings) terminal.complain(`warning: ${warning}\n`)
  }
  try {
    const environment = await parts.environment(choice)
    if (environment !== undefined) tell(environmentReport(environment), environment.warnings)
    if (environment !== undefined && environment.unusedTree === undefined) return 0
    const tree = await parts.check(choice)
    // The tree is looked at all the same: whoever asks may be about to name it.
    const instead = environment === undefined ? '' : '\nThe tree, which "--config" would have a server use:\n'
    tell(`${instead}${report(tree)}`, tree.warnings)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`${error.message}\n`)
    return 1
  }
}

function report({ directory, accounts, callers }: CheckedTree): string {
  const who = callers.map(({ id, entrance, words }) => [`${id}  (${entrance})`, ...words.map(indent)].join('\n'))
  const summary = `ok: ${count(accounts.length, 'account')} and ${count(callers.length, 'caller')} in ${directory}`
  return `${[summary, ...who].join('\n\n')}\n`
}

function indent(line: string): string {
  return `  ${line}`
}
