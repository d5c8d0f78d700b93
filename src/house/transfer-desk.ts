/** What an operator needs to look after moves between accounts. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { configDirectory, dataDirectory, ownConfigDirectory } from '../config/directories.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { isFinal } from '../core/transfer/machine.ts'
import type { Transfer } from '../core/transfer/transfer.ts'
import type { Transfers } from '../engine/transfer/transfers.ts'
import type { RetryChoice } from '../surfaces/cli/choices.ts'
import { auditOf, retryLimitOf, type TreeParts } from './open-tree.ts'
import { openTransfers } from './postern.ts'
import { TreeHouse } from './tree-house.ts'

const LOOK_AGAIN_MS = 100

export interface TransferDesk {
  list(all: boolean): Promise<readonly Transfer[]>
  retry(which: RetryChoice['which']): Promise<readonly Transfer[]>
  abandon(txId: string): Promise<Transfer>
  close(): Promise<void>
}

export async function transferDesk(config: string | undefined, parts: TreeParts): Promise<TransferDesk> {
  const { env, platform, log } = parts
  const found = configDirectory(env, config) ?? ownConfigDirectory(env, platform)
  if (found === undefined) {
    throw new Failure('invalid_input', 'no configuration is named: add --config DIR or set POSTERN_CONFIG_DIR')
  }
  const directory = dataDirectory(env, platform)
  const tree = loadTree(found.directory, env, directory)
  const audit = auditOf(tree, directory, parts)
  const settings = { config: found.directory, directory, env, log, transport: 'stdio', toolsets: undefined } as const
  const { accounts } = await TreeHouse.open(settings, tree, audit)
  const transfers = openTransfers({ directory, accounts, audit, log, journal: tree.walPath, ...retryLimitOf(env) })
  return {
    list: (all) => transfers.list(all),
    retry: async (which) => {
      const reopened = which === 'all' ? await transfers.retryAll() : [await transfers.retry(which.txId)]
      // Nobody else would go on with them: they are seen through here, whatever they come to.
      return Promise.all(reopened.map((one) => seenThrough(one, transfers)))
    },
    abandon: (txId) => transfers.abandon(txId),
    close: async () => {
      await transfers.close()
      await accounts.close()
      await audit.close()
    },
  }
}

/** Of accounts of the environment there is one in its usual place. */
export function journalOf(tree: Tree | undefined, directory: string): string {
  return tree?.walPath ?? join(directory, 'wal.db')
}

async function seenThrough(transfer: Transfer, transfers: Pick<Transfers, 'find'>): Promise<Transfer> {
  let now = transfer
  for (; !isFinal(now); now = (await transfers.find(now.txId)) ?? now) await delay(LOOK_AGAIN_MS)
  return now
}
