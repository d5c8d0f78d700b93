/** The commands about mirrors: each has them for as long as it runs. */
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { Commands } from '../surfaces/cli/program.ts'
import type { MirrorDesk } from './mirror-desk.ts'
import type { OperatorParts } from './operator.ts'
import { readLine } from './read-line.ts'

export function mirrorCommands(parts: OperatorParts): Pick<Commands, 'sync' | 'forget'> {
  const { terminal } = parts
  return {
    async sync(choice) {
      const { syncCommand } = await import('../surfaces/cli/sync.ts')
      return withMirrors(choice.config, parts, (desk) => {
        const { isTerminal: interactive, columns, onStop } = parts
        const elapsed = (): number => systemClock.elapsed()
        return syncCommand(choice, { desk, terminal, interactive, elapsed, onStop, ...(columns && { columns }) })
      })
    },
    async forget(choice) {
      const { forgetCommand } = await import('../surfaces/cli/forget.ts')
      const { isTerminal: interactive, onStop } = parts
      const ask = (signal: AbortSignal): Promise<string> => readLine(parts.stdin, signal)
      return withMirrors(choice.config, parts, (desk) =>
        forgetCommand(choice, { desk, terminal, interactive, readLine: ask, onStop }),
      )
    },
  }
}

async function withMirrors(
  config: string | undefined,
  parts: OperatorParts,
  work: (desk: MirrorDesk) => Promise<number>,
): Promise<number> {
  const { mirrorDesk } = await import('./mirror-desk.ts')
  const desk = await mirrorDesk(config, parts)
  try {
    return await work(desk)
  } finally {
    await desk.close()
  }
}
