/** `postern check`: validates a configuration tree and says in plain words what each caller may do. */
import { Failure } from '../../core/failure.ts'
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
  check(choice: CheckChoice): Promise<CheckedTree>
  readonly terminal: Terminal
}

export async function check(choice: CheckChoice, { check: load, terminal }: CheckParts): Promise<number> {
  try {
    const tree = await load(choice)
    terminal.print(report(tree))
    for (const warning of tree.warnings) terminal.complain(`warning: ${warning}\n`)
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function indent(line: string): string {
  return `  ${line}`
}
