/** What an operator needs to look after mirrors: those of a configuration tree, or of the environment's accounts. */
import { configDirectory, dataDirectory, ownConfigDirectory } from './config/directories.ts'
import { readEnvironment } from './config/environment.ts'
import { loadTree } from './config/tree/load.ts'
import { Accounts } from './engine/accounts/accounts.ts'
import { forgetAccount } from './engine/sync/forget-account.ts'
import { ownAccounts } from './environment-house.ts'
import { hasMirror, type OpenedMirror, openStore } from './mirrors.ts'
import { auditOf, type TreeParts } from './open-tree.ts'
import { openContent } from './postern.ts'
import type { ForgetDesk } from './surfaces/cli/forget.ts'
import type { SyncDesk } from './surfaces/cli/sync.ts'
import { TreeHouse } from './tree-house.ts'

export interface MirrorDesk extends SyncDesk, ForgetDesk {
  close(): Promise<void>
}

export async function mirrorDesk(config: string | undefined, parts: TreeParts): Promise<MirrorDesk> {
  const directory = dataDirectory(parts.env, parts.platform)
  const mirrors = new Map<string, OpenedMirror>()
  const content = openContent(parts.log)
  const onMirror = (id: string, mirror: OpenedMirror): void => void mirrors.set(id, mirror)
  const { accounts, close } = await openAccounts(config, directory, { content, follow: false, onMirror }, parts)
  return {
    accounts: () => [...mirrors.keys()],
    async sync(account, onProgress, signal) {
      const mirror = mirrors.get(account)
      if (mirror === undefined) throw new Error('an account without a mirror was to be synced')
      return mirror.sync.syncAll(onProgress, signal)
    },
    async forget(account) {
      if (!(await hasMirror(directory, account))) return undefined
      return forgetAccount(mirrors.get(account)?.store ?? openStore(directory, account), account)
    },
    async close() {
      await accounts.close()
      await Promise.all([content.close(), close()])
    },
  }
}

type Kept = { readonly content: ReturnType<typeof openContent>; readonly follow: false } & Pick<
  Parameters<typeof ownAccounts>[1],
  'onMirror'
>

/** As a server would find them. */
async function openAccounts(
  config: string | undefined,
  directory: string,
  mirrors: Kept,
  { env, platform, log }: TreeParts,
): Promise<{ readonly accounts: Accounts; close(): Promise<void> }> {
  const chosen = configDirectory(env, config)
  const environment = chosen === undefined ? readEnvironment(env) : undefined
  const own = environment?.accounts.length === 0 ? ownConfigDirectory(env, platform) : undefined
  const found = chosen ?? own
  if (found === undefined && environment !== undefined) {
    const accounts = new Accounts(ownAccounts(environment, { directory, log, ...mirrors }))
    return { accounts, close: async () => undefined }
  }
  const tree = loadTree(found?.directory ?? '', env, directory)
  const audit = auditOf(tree, directory, { env, log })
  const settings = {
    config: tree.directory,
    directory,
    env,
    log,
    mirrors,
    transport: 'stdio',
    toolsets: undefined,
  } as const
  const { accounts } = await TreeHouse.open(settings, tree, audit)
  return { accounts, close: () => audit.close() }
}
