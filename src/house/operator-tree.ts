/** The commands that need a configuration tree and say so where there is none. */
import { configDirectory, dataDirectory, ownConfigDirectory } from '../config/directories.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadAccounts, loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import type { ExplainChoice } from '../surfaces/cli/choices.ts'
import type { Explanation } from '../surfaces/cli/explain.ts'
import type { Commands } from '../surfaces/cli/program.ts'
import type { OperatorParts } from './operator.ts'
import { readLine } from './read-line.ts'

type TreeCommands = Pick<Commands, 'client' | 'check' | 'explain' | 'reload' | 'oauth'>

export function treeCommands(parts: OperatorParts): TreeCommands {
  const { env, platform, log, terminal } = parts
  const directory = dataDirectory(env, platform)
  const treeOf = (config: string | undefined, without?: string): Tree =>
    loadTree(treeDirectory(config, without, parts), env, directory)
  const accountsOf = (config: string | undefined) =>
    loadAccounts(treeDirectory(config, undefined, parts), env, directory)
  return {
    async client(choice) {
      const { clientCommand } = await import('../surfaces/cli/client-command.ts')
      const { clientDesk } = await import('./client-desk.ts')
      const config = 'config' in choice ? choice.config : undefined
      return clientCommand(
        choice,
        clientDesk(() => treeOf(config, CLIENT_BY_HAND), parts),
        terminal,
      )
    },
    async check(choice) {
      const { check } = await import('../surfaces/cli/check.ts')
      const { checkTree } = await import('./check-tree.ts')
      const { checkEnvironment, unusedVariables } = await import('./check-environment.ts')
      return check(choice, {
        terminal,
        environment: async ({ config }) => checkEnvironment(config, parts),
        async check({ config }) {
          const tree = await checkTree(treeOf(config), parts)
          return { ...tree, warnings: [...tree.warnings, ...unusedVariables(config, parts)] }
        },
      })
    },
    async explain(choice) {
      const { explain } = await import('../surfaces/cli/explain.ts')
      return explain(choice, {
        terminal,
        explain: (asked) => explainMessage(asked, treeOf(asked.config, NO_POLICIES), parts),
      })
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
          grantAccess({ tree: accountsOf(choice.config), account, steps, signal, env, directory, log }),
        terminal,
        interactive: parts.isTerminal,
        openBrowser: (url) => openBrowser(url, platform),
        readLine: (signal) => readLine(parts.stdin, signal),
        onStop: parts.onStop,
      })
    },
  }
}

const NO_POLICIES = 'so there are no policies to explain: whoever starts a server sees every message whole'
const CLIENT_BY_HAND =
  'and passwords are not copied into the files of clients: run "postern setup", which keeps them elsewhere, or write ' +
  'the command and its MAIL_IMAP_* variables into the client by hand'

/** `without`: what follows for this command from accounts being in the environment alone. */
function treeDirectory(
  config: string | undefined,
  without: string | undefined,
  { env, platform }: OperatorParts,
): string {
  const found = configDirectory(env, config) ?? ownConfigDirectory(env, platform)
  if (found !== undefined) return found.directory
  if (without !== undefined && readEnvironment(env).accounts.length > 0) {
    throw new Failure('invalid_input', `the accounts come from MAIL_IMAP_* variables, ${without}`)
  }
  throw new Failure(
    'invalid_input',
    'no configuration is named: run "postern setup", add --config DIR or set POSTERN_CONFIG_DIR',
  )
}

async function explainMessage(choice: ExplainChoice, tree: Tree, parts: OperatorParts): Promise<Explanation> {
  const { explainFor } = await import('./explain-for.ts')
  return explainFor(choice, tree, parts)
}
