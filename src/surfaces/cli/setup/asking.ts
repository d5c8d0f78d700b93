/** What every question of `postern setup` is asked with. */
import type { SetupChoice } from './choice.ts'
import type { SetupDesk } from './desk.ts'
import type { Prompter } from './prompter.ts'

export interface Asking {
  readonly choice: SetupChoice
  readonly prompter: Prompter
  readonly desk: SetupDesk
  readonly signal: AbortSignal
}
