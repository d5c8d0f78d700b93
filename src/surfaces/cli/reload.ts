/** `postern reload`: has the running servers of a configuration tree read it again, if it can be used. */
import { Failure } from '../../core/failure.ts'
import { count } from '../../core/text/count.ts'
import type { ReloadChoice } from './choices.ts'
import type { Adviser } from './program.ts'

export interface ReloadParts {
  /** Throws where the tree cannot be used; returns the process ids that were told. */
  reload(choice: ReloadChoice): Promise<readonly number[]>
  readonly terminal: Adviser
}

export async function reload(choice: ReloadChoice, parts: ReloadParts): Promise<number> {
  const { terminal } = parts
  try {
    const told = await parts.reload(choice)
    if (told.length === 0) {
      terminal.complain('postern: the configuration is good, but no server that uses it is running\n')
      return 1
    }
    terminal.print(
      `${count(told.length, 'server')} told to read the configuration again (process ${told.join(', ')})\n`,
    )
    const tree = choice.config === undefined ? '' : ` --config ${choice.config}`
    terminal.advise(`Whether it was applied is on record: postern audit show --tool policy_reload${tree}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.complain(`${error.message}\npostern: nothing was reloaded\n`)
    return 1
  }
}
