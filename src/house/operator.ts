/** The commands of an operator: what they need of adapters and configuration, put together for each. */
import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { configDirectory, dataDirectory, ownConfigDirectory } from '../config/directories.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import type { ExplainChoice } from '../surfaces/cli/choices.ts'
import type { Explanation } from '../surfaces/cli/explain.ts'
import type { OutboxParts } from '../surfaces/cli/outbox.ts'
import type { Commands, Terminal } from '../surfaces/cli/program.ts'
import type { MirrorDesk } from './mirror-desk.ts'
import { readLine } from './read-line.ts'

export interface OperatorParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
  readonly terminal: Terminal
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
  const { env, platform, log, terminal } = parts
  const directory = dataDirectory(env, platform)
  const treeOf = (config: string | undefined): Tree => loadTree(treeDirectory(config, parts), env, directory)
  return {
    async setup(choice) {
      const { runSetup } = await import('./run-setup.ts')
      return runSetup(choice, parts)
    },
    async client(choice) {
      const { clientCommand } = await import('../surfaces/cli/client-command.ts')
      const { clientDesk } = await import('./client-desk.ts')
      const config = 'config' in choice ? choice.config : undefined
      return clientCommand(
        choice,
        clientDesk(() => treeOf(config), parts),
        terminal,
      )
    },
    async check(choice) {
      const { check } = await import('../surfaces/cli/check.ts')
      const { checkTree } = await import('./check-tree.ts')
      return check(choice, { terminal, check: async ({ config }) => checkTree(treeOf(config), parts) })
    },
    async explain(choice) {
      const { explain } = await import('../surfaces/cli/explain.ts')
      return explain(choice, { terminal, explain: (asked) => explainMessage(asked, treeOf(asked.config), parts) })
    },
    async reload(choice) {
      const { reload } = await import('../surfaces/cli/reload.ts')
      const { signalServers } = await import('../adapters/presence/presence.ts')
      return reload(choice, {
        terminal,
        reload: async ({ config }) => signalServers(directory, treeOf(config).directory, 'SIGHUP'),
      })
    },
    async oauth(choice) {
      const { runOAuth } = await import('../surfaces/cli/oauth.ts')
      const { openBrowser } = await import('../adapters/oauth/browser.ts')
      const { grantAccess } = await import('./grant-access.ts')
      return runOAuth(choice, {
        run: (account, steps, signal) =>
          grantAccess({ tree: treeOf(choice.config), account, steps, signal, env, directory, log }),
        terminal,
        interactive: parts.isTerminal,
        openBrowser: (url) => openBrowser(url, platform),
        readLine: (signal) => readLine(parts.stdin, signal),
        onStop: parts.onStop,
      })
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
    async verifyAudit(choice) {
      const { verifyAudit } = await import('../surfaces/cli/audit-verify.ts')
      const { verifyAuditDirectory } = await import('../adapters/audit/verify.ts')
      const ownDirectory = auditDirectory(choice.config, parts)
      // Somebody else's record was signed with somebody else's key, which lies beside it.
      const own = choice.directory === undefined ? { keyDirectory: directory } : {}
      const verify: typeof verifyAuditDirectory = (at, options) => verifyAuditDirectory(at, { ...own, ...options })
      const hasKey = (): boolean => existsSync(join(directory, 'audit.pub'))
      return verifyAudit(choice, { verify, ownDirectory, hasKey, terminal })
    },
    async showAudit(choice) {
      const { showAudit } = await import('../surfaces/cli/audit-show.ts')
      const { readAuditRecords } = await import('../adapters/audit/read-records.ts')
      const ownDirectory = auditDirectory(choice.config, parts)
      const { print } = parts
      return showAudit(choice, { read: readAuditRecords, ownDirectory, terminal, print, now: () => systemClock.now() })
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

function treeDirectory(config: string | undefined, { env, platform }: OperatorParts): string {
  const found = configDirectory(env, config) ?? ownConfigDirectory(env, platform)
  if (found !== undefined) return found.directory
  throw new Failure(
    'invalid_input',
    'no configuration is named: run "postern setup", add --config DIR or set POSTERN_CONFIG_DIR',
  )
}

/** As a server would: the user's own tree counts only where the environment names no account. */
function ownTree({ env, platform }: OperatorParts): ReturnType<typeof ownConfigDirectory> {
  const named = Object.keys(env).some((name) => /^MAIL_IMAP_.+_HOST$/.test(name))
  return named ? undefined : ownConfigDirectory(env, platform)
}

/** Where a configuration keeps its record; without one, the place for accounts of the environment. */
function auditDirectory(config: string | undefined, parts: OperatorParts): string {
  const { env, platform } = parts
  const directory = dataDirectory(env, platform)
  const found = configDirectory(env, config) ?? ownTree(parts)
  return found === undefined ? join(directory, 'audit') : loadTree(found.directory, env, directory).audit.directory
}

async function explainMessage(choice: ExplainChoice, tree: Tree, parts: OperatorParts): Promise<Explanation> {
  const { explainFor } = await import('./explain-for.ts')
  return explainFor(choice, tree, parts)
}
