/**
 * `postern import`: reads mail from files into a local account, and can be told to stop.
 *
 * INVARIANT: can be stopped and started again at any time; what was read is not read into the account twice.
 */
import { Failure } from '../../core/failure.ts'
import type { ImportProgress, ImportSummary } from '../../engine/import/tally.ts'
import type { ImportChoice } from './choices.ts'
import { importCommand } from './import.ts'
import type { Adviser } from './program.ts'

export interface ImportParts {
  run(choice: ImportChoice, onProgress: (progress: ImportProgress) => void, signal: AbortSignal): Promise<ImportSummary>
  /** What is left to do so that agents can read what was imported. */
  advice(choice: ImportChoice): Promise<readonly string[]>
  readonly terminal: Adviser
  /** Whether `complain` reaches a person who can see a line change, and how wide that line may be. */
  readonly interactive: boolean
  readonly columns?: number
  onStop(stop: () => void): void
}

const USUAL_COLUMNS = 80

export async function importMail(choice: ImportChoice, parts: ImportParts): Promise<number> {
  const { terminal, interactive, columns = USUAL_COLUMNS } = parts
  const stopping = new AbortController()
  parts.onStop(() => stopping.abort(new Failure('cancelled', 'stopped; run the same command to go on from here')))
  try {
    await importCommand({
      ...choice,
      screen: { isTerminal: interactive, columns, write: terminal.complain },
      print: (line) => terminal.print(`${line}\n`),
      elapsed: () => performance.now(),
      run: (onProgress) => parts.run(choice, onProgress, stopping.signal),
    })
    for (const line of await parts.advice(choice)) terminal.advise(`${line}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`postern: ${error.message}\n`)
    return 1
  }
}
