/** The commands about letters: each has the outbox for as long as it runs. */
import { userInfo } from 'node:os'
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { OutboxParts } from '../surfaces/cli/outbox.ts'
import type { Commands } from '../surfaces/cli/program.ts'
import type { OperatorParts } from './operator.ts'
import { readLine } from './read-line.ts'

export function outboxCommands(parts: OperatorParts): Pick<Commands, 'outbox' | 'approve' | 'reject'> {
  return {
    async outbox(choice) {
      const { outboxCommand } = await import('../surfaces/cli/outbox.ts')
      return withOutbox(choice.config, parts, (outbox) => outboxCommand(choice, outbox))
    },
    async approve(choice) {
      const { approveCommand } = await import('../surfaces/cli/approve.ts')
      return withOutbox(choice.config, parts, (outbox) => approveCommand(choice, outbox))
    },
    async reject(choice) {
      const { rejectCommand } = await import('../surfaces/cli/approve.ts')
      return withOutbox(choice.config, parts, (outbox) => rejectCommand(choice, outbox))
    },
  }
}

async function withOutbox(
  config: string | undefined,
  parts: OperatorParts,
  work: (outbox: OutboxParts) => Promise<number>,
): Promise<number> {
  const { outboxDesk } = await import('./outbox-desk.ts')
  const { desk, close } = await outboxDesk(config, parts)
  const { terminal, onStop, stdin } = parts
  // What is piped in is no person's word.
  const interactive = parts.isTerminal && 'isTTY' in stdin && stdin.isTTY === true
  const ask = (signal: AbortSignal): Promise<string> => readLine(stdin, signal)
  const person = { via: 'command', name: userInfo().username, address: 'terminal' } as const
  try {
    return await work({ desk, person, terminal, interactive, readLine: ask, onStop, now: () => systemClock.now() })
  } finally {
    await close()
  }
}
