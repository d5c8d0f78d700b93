/** Opens Postern on a configuration tree. */
import type { SecretiveLog } from '../adapters/log/log.ts'
import { announce, type Presence } from '../adapters/presence/presence.ts'

import { dataDirectory } from '../config/directories.ts'
import { loadTree } from '../config/tree/load.ts'
import { TreeProblems } from '../config/tree/problems.ts'
import type { Tree } from '../config/tree/tree.ts'
import type { CheckedAuditLog } from '../ports/audit-log.ts'
import type { FileLock } from '../ports/file-locks.ts'
import type { ServeChoice } from '../surfaces/cli/choices.ts'
import type { Terminal } from '../surfaces/cli/program.ts'
import type { CannotStart, Opened } from '../surfaces/cli/serve.ts'
import type { Visitor } from '../surfaces/mcp/server.ts'
import { visitorAtStdin } from './identify.ts'
import { outboxSettings } from './outbox.ts'
import { openAudit, openContent, openPostern } from './postern.ts'
import { TreeHouse } from './tree-house.ts'

export interface TreeParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
  readonly terminal: Terminal
}

export async function openTree(config: string, choice: ServeChoice, parts: TreeParts): Promise<Opened | CannotStart> {
  const { env, platform, log, terminal } = parts
  const directory = dataDirectory(env, platform)
  const tree = load(config, env, directory)
  if ('kind' in tree) return tree
  for (const warning of tree.warnings) terminal.complain(`postern: ${warning}\n`)
  const { transport, toolsets } = choice
  const audit = auditOf(tree, directory, { env, log })
  const content = openContent(log)
  // Read before any mirror is opened; told after the caller is known.
  const admit = transport === 'stdio' ? await admission(tree, directory, toolsets, parts) : undefined
  const house = await TreeHouse.open(
    { config, directory, env, log, mirrors: { content, follow: true }, transport, toolsets },
    tree,
    audit,
  )
  const visitor = transport === 'stdio' ? await visitorAtStdin(house, { env, audit, log }) : NOBODY
  const turnAway = async (refusal: CannotStart): Promise<CannotStart> => {
    await house.accounts.close()
    await audit.close()
    return refusal
  }
  if ('kind' in visitor) return turnAway(visitor)
  const place = admit?.()
  if (place !== undefined && 'kind' in place) return turnAway(place)
  const opened = openPostern({
    directory,
    accounts: house.accounts,
    content,
    audit,
    auditDirectory: tree.audit.directory,
    household: async () => (await import('./household.ts')).treeHousehold(() => house.tree, toolsets),
    log,
    visitor,
    holders: () => house.holders(),
    journal: tree.walPath,
    attachments: tree.attachments,
    ...retryLimitOf(env),
    outbox: outboxSettings(env, directory, tree.vault),
  })
  let presence: Presence | undefined
  return {
    ...opened,
    reload: () => house.reload(),
    announce() {
      presence = announce(directory, tree.directory)
    },
    async close() {
      presence?.leave()
      await opened.close().finally(() => place?.release())
    },
  }
}

/** Processes that serve the inbox set over stdio are few, and need mirrors that they can read. Looks at once, tells later. */
async function admission(
  tree: Tree,
  directory: string,
  toolsets: readonly string[] | undefined,
  { env, log }: TreeParts,
): Promise<(() => FileLock | CannotStart) | undefined> {
  const id = env['IMAP_MCP_CALLER_ID']?.trim()
  const names = toolsets ?? tree.callers.find((caller) => caller.id === id)?.toolsets
  if (names?.includes('inbox') !== true) return undefined
  const { newerMirrorOf, placeIn } = await import('./admit-inbox.ts')
  const newer = newerMirrorOf(tree.accounts, directory)
  return () => newer ?? placeIn(directory, tree.connections, log)
}

/** The whole story is for the person, its first sentence for the client. */
function load(config: string, env: TreeParts['env'], directory: string): Tree | CannotStart {
  try {
    return loadTree(config, env, directory)
  } catch (error) {
    if (!(error instanceof TreeProblems)) throw error
    const story = `the configuration in ${config} cannot be used\n${error.message}`
    return { kind: 'cannot_start', sentence: `the configuration cannot be used: ${error.summary}`, story }
  }
}

export function auditOf(
  { audit }: Tree,
  directory: string,
  { env, log }: Pick<TreeParts, 'env' | 'log'>,
): CheckedAuditLog {
  const { hotDays, warmDays, deleteAfterDays, externalRootHook } = audit
  const hook = externalRootHook === undefined ? {} : { hook: externalRootHook }
  const retention = { hotDays, warmDays, deleteAfterDays }
  return openAudit({ directory: audit.directory, retention, environment: env, ...hook }, directory, log)
}

/** Over HTTP every request brings its own caller. */
const NOBODY: Visitor = {
  get caller(): never {
    throw new Error('nobody is at stdin')
  },
  sets: [],
}

/** `IMAP_MCP_RETRY_LIMIT`: how often a move between accounts is tried again. */
export function retryLimitOf(env: TreeParts['env']): { retryLimit?: number } {
  const text = env['IMAP_MCP_RETRY_LIMIT']?.trim() ?? ''
  return /^\d{1,3}$/.test(text) ? { retryLimit: Number(text) } : {}
}
