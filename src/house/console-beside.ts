/** The console of `postern console`: a process of its own on the data directory that other servers use. */

import { systemClock } from '../adapters/clock/system-clock.ts'
import { createConsoleKeys } from '../adapters/console-keys/key-files.ts'
import { servedConsoles } from '../adapters/console-keys/places.ts'
import { dataDirectory } from '../config/directories.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import type { Household } from '../engine/console/desk.ts'
import { LINK_MS } from '../engine/console/lock.ts'
import type { OpenedConsole } from '../surfaces/cli/console.ts'
import { type Configured, openConfigured } from './configured.ts'
import { openConsole } from './console.ts'
import { ownerHousehold, treeHousehold } from './household.ts'
import { retryLimitOf, type TreeParts } from './open-tree.ts'
import { openOutbox, outboxSettings } from './outbox.ts'
import { openContent, openTransfers, VERSION } from './postern.ts'
import { journalOf } from './transfer-desk.ts'

export async function openConsoleBeside(config: string | undefined, parts: TreeParts): Promise<OpenedConsole> {
  const { env, log } = parts
  const content = openContent(log)
  const configured = await openConfigured(config, parts, { content, follow: false })
  const { directory, accounts, audit, auditDirectory, tree, vault } = configured
  const journal = journalOf(tree, directory)
  const settings = outboxSettings(env, directory, vault)
  const outbox = openOutbox({ ...configured, ...settings, content, log })
  const transfers = openTransfers({ directory, accounts, audit, log, journal, ...retryLimitOf(env) })
  // What a process left behind is to be seen as what it is.
  await outbox.resume()
  const shared = { directory, accounts, audit, auditDirectory, content, log, journal, transfers, version: VERSION }
  const household = householdOf(configured, env)
  // Whether letters leave is for the servers to say that send them.
  const door = openConsole({ ...shared, household, outbox: outbox.desk(), devMode: false })
  return {
    door,
    async close() {
      await transfers.close()
      await Promise.all([content.close(), outbox.close()])
      await configured.close()
    },
  }
}

/** New links to the consoles that are served at this moment. */
export async function newLinks({ env, platform }: Pick<TreeParts, 'env' | 'platform'>): Promise<readonly string[]> {
  const directory = dataDirectory(env, platform)
  const keys = createConsoleKeys({ directory })
  const links: string[] = []
  for (const origin of servedConsoles(directory)) {
    const secret = await keys.newLink(systemClock.now() + LINK_MS)
    links.push(new URL(`/console/sign-in?token=${secret}`, origin).href)
  }
  return links
}

function householdOf({ directory, accounts, tree, writes }: Configured, env: TreeParts['env']): Household {
  if (tree !== undefined) return treeHousehold(() => newest(tree, env, directory))
  const all = accounts.current.list()
  const toolsets = all.some(({ sender }) => sender !== undefined) ? ['imap', 'outbox'] : ['imap']
  return ownerHousehold({ id: 'local', writes, toolsets, accounts: all.map(({ id }) => id) })
}

/** Servers may have read it again since; one that they could not read does not count for them either. */
function newest(tree: Tree, env: TreeParts['env'], directory: string): Tree {
  try {
    return loadTree(tree.directory, env, directory)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return tree
  }
}
