/** The commands of an operator: what they need of adapters and configuration, put together for each. */
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { systemClock } from './adapters/clock/system-clock.ts'
import type { SecretiveLog } from './adapters/log/log.ts'
import { configDirectory, dataDirectory, ownConfigDirectory } from './config/directories.ts'
import { loadTree } from './config/tree/load.ts'
import type { Tree, TreeCaller } from './config/tree/tree.ts'
import { Failure } from './core/failure.ts'
import { auditOf } from './open-tree.ts'
import { readLine } from './read-line.ts'
import type { CheckedTree } from './surfaces/cli/check.ts'
import type { ExplainChoice } from './surfaces/cli/choices.ts'
import type { Explanation } from './surfaces/cli/explain.ts'
import type { Commands, Terminal } from './surfaces/cli/program.ts'
import { secretsOf } from './tree-secrets.ts'

export interface OperatorParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
  readonly terminal: Terminal
  readonly stdin: Readable
  readonly isTerminal: boolean
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
    async check(choice) {
      const { check } = await import('./surfaces/cli/check.ts')
      return check(choice, { terminal, check: ({ config }) => checkTree(treeOf(config), parts) })
    },
    async explain(choice) {
      const { explain } = await import('./surfaces/cli/explain.ts')
      return explain(choice, { terminal, explain: (asked) => explainMessage(asked, treeOf(asked.config), parts) })
    },
    async reload(choice) {
      const { reload } = await import('./surfaces/cli/reload.ts')
      const { signalServers } = await import('./adapters/presence/presence.ts')
      return reload(choice, {
        terminal,
        reload: async ({ config }) => signalServers(directory, treeOf(config).directory, 'SIGHUP'),
      })
    },
    async oauth(choice) {
      const { runOAuth } = await import('./surfaces/cli/oauth.ts')
      const { openBrowser } = await import('./adapters/oauth/browser.ts')
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
    async verifyAudit(choice) {
      const { verifyAudit } = await import('./surfaces/cli/audit-verify.ts')
      const { verifyAuditDirectory } = await import('./adapters/audit/verify.ts')
      const ownDirectory = auditDirectory(choice.config, parts)
      // Somebody else's record was signed with somebody else's key, which lies beside it.
      const own = choice.directory === undefined ? { keyDirectory: directory } : {}
      const verify: typeof verifyAuditDirectory = (at, options) => verifyAuditDirectory(at, { ...own, ...options })
      return verifyAudit(choice, { verify, ownDirectory, terminal })
    },
    async showAudit(choice) {
      const { showAudit } = await import('./surfaces/cli/audit-show.ts')
      const { readAuditRecords } = await import('./adapters/audit/read-records.ts')
      const ownDirectory = auditDirectory(choice.config, parts)
      const { print } = parts
      return showAudit(choice, { read: readAuditRecords, ownDirectory, terminal, print, now: () => systemClock.now() })
    },
  }
}

function treeDirectory(config: string | undefined, { env, platform }: OperatorParts): string {
  const found = configDirectory(env, config) ?? ownConfigDirectory(env, platform)
  if (found !== undefined) return found.directory
  throw new Failure('invalid_input', 'no configuration is named: add --config DIR or set POSTERN_CONFIG_DIR')
}

/** Where a configuration keeps its record; without one, the place for accounts of the environment. */
function auditDirectory(config: string | undefined, parts: OperatorParts): string {
  const { env, platform } = parts
  const directory = dataDirectory(env, platform)
  const found = configDirectory(env, config)
  return found === undefined ? join(directory, 'audit') : loadTree(found.directory, env, directory).audit.directory
}

async function checkTree(tree: Tree, parts: OperatorParts): Promise<CheckedTree> {
  const { describePolicy } = await import('./core/policy/in-words.ts')
  const { setsNamed } = await import('./tool-sets.ts')
  const { accountFrom } = await import('./tree-accounts.ts')
  const refs = [...tree.accounts, ...tree.callers].flatMap(({ auth }) =>
    auth !== undefined && 'secretRef' in auth ? [auth.secretRef] : [],
  )
  const secrets = secretsOf(tree, parts)
  const { env, platform, log } = parts
  const directory = dataDirectory(env, platform)
  const audit = auditOf(tree, directory, parts)
  // Nothing is opened: what this version cannot serve is told here as it would be at a start.
  for (const account of tree.accounts)
    accountFrom(account, { env, directory, log, audit, secrets, connections: undefined })
  return {
    directory: tree.directory,
    accounts: tree.accounts.map(({ id }) => id),
    callers: tree.callers.map((caller) => {
      const definition = tree.policies.get(caller.policy)
      const sets = setsNamed(caller.toolsets ?? ['policy']).map(({ name }) => name)
      const words = definition === undefined ? [] : describePolicy(definition)
      return { id: caller.id, entrance: entranceOf(caller, sets), words }
    }),
    warnings: [
      ...tree.warnings,
      ...(await secrets.warnings([...new Set(refs)])),
      ...(await missingSecrets(refs, tree, parts)),
    ],
  }
}

function entranceOf({ auth, limits }: TreeCaller, sets: readonly string[]): string {
  const proof = auth.type === 'stdio_trusted' ? 'trusted on stdio' : 'by its shared token'
  const most = [
    ...(limits?.perMinute === undefined ? [] : [`${limits.perMinute} calls a minute`]),
    ...(limits?.perHour === undefined ? [] : [`${limits.perHour} an hour`]),
  ]
  return [proof, `tools: ${sets.join(', ')}`, ...(most.length === 0 ? [] : [`at most ${most.join(' and ')}`])].join(
    '; ',
  )
}

/** A secret that is not there yet stops nothing here, but its account or caller cannot be used. */
async function missingSecrets(refs: readonly string[], tree: Tree, parts: OperatorParts): Promise<readonly string[]> {
  const secrets = secretsOf(tree, parts)
  const found = await Promise.all(
    [...new Set(refs)].map((ref) =>
      secrets.read(ref).then(
        () => [],
        (error: unknown) => (error instanceof Failure ? [`${ref}: ${error.message}`] : Promise.reject(error)),
      ),
    ),
  )
  return found.flat()
}

async function explainMessage(choice: ExplainChoice, tree: Tree, parts: OperatorParts): Promise<Explanation> {
  const { explainFor } = await import('./explain-for.ts')
  return explainFor(choice, tree, parts)
}
