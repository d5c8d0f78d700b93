/** The commands of an operator: what they need of adapters and configuration, put together for each. */
import { homedir } from 'node:os'
import type { Readable } from 'node:stream'
import type { SecretiveLog } from '../adapters/log/log.ts'
import type { Adviser, Commands } from '../surfaces/cli/program.ts'
import { auditCommands } from './operator-audit.ts'
import { mirrorCommands } from './operator-mirrors.ts'
import { outboxCommands } from './operator-outbox.ts'
import { treeCommands } from './operator-tree.ts'

export interface OperatorParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
  readonly terminal: Adviser
  readonly stdin: Readable
  readonly isTerminal: boolean
  /** How wide it is. */
  readonly columns?: number | undefined
  /** Resolves when there is room for more: false once nobody reads any more. */
  print(text: string): Promise<boolean>
  onStop(stop: () => void): void
}

type OperatorCommands = Omit<Commands, 'serve' | 'demo' | 'importMail'>

export function operatorCommands(parts: OperatorParts): OperatorCommands {
  const { env, platform, terminal } = parts
  return {
    ...treeCommands(parts),
    ...outboxCommands(parts),
    ...mirrorCommands(parts),
    ...auditCommands(parts),
    async setup(choice) {
      const { runSetup } = await import('./run-setup.ts')
      return runSetup(choice, parts)
    },
    async transfers(choice) {
      const { transfers } = await import('../surfaces/cli/transfers.ts')
      const { transferDesk } = await import('./transfer-desk.ts')
      const desk = await transferDesk(choice.config, parts)
      try {
        return await transfers(choice, { ...desk, terminal })
      } finally {
        await desk.close()
      }
    },
    async doctor(choice) {
      const { doctorOn } = await import('./doctor-command.ts')
      return doctorOn(choice, parts)
    },
    async console(choice) {
      const { consoleCommand } = await import('../surfaces/cli/console.ts')
      const { newLinks, openConsoleBeside } = await import('./console-beside.ts')
      const { openUnseen } = await import('../adapters/oauth/browser.ts')
      return consoleCommand(choice, {
        open: (config) => openConsoleBeside(config, parts),
        newLinks: () => newLinks(parts),
        openBrowser: (url) => openUnseen(url, platform, env['HOME'] || homedir()),
        terminal,
        interactive: parts.isTerminal,
        onStop: parts.onStop,
      })
    },
  }
}
