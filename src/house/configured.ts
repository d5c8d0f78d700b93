/** The accounts that a command of an operator works on: as a server would find them. */
import { join } from 'node:path'
import { configDirectory, dataDirectory, ownConfigDirectory } from '../config/directories.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Accounts } from '../engine/accounts/accounts.ts'
import type { AuditLog, CheckedAuditLog } from '../ports/audit-log.ts'
import { ownAccounts } from './environment-house.ts'
import type { MirrorParts } from './mirrors.ts'
import { auditOf, type TreeParts } from './open-tree.ts'
import { openAudit } from './postern.ts'
import { TreeHouse } from './tree-house.ts'

export interface Configured {
  /** Where state lives. */
  readonly directory: string
  readonly accounts: Accounts
  readonly audit: CheckedAuditLog
  readonly auditDirectory: string
  /** Absent for accounts of the environment; then whether these may be changed. */
  readonly tree: Tree | undefined
  readonly writes: boolean
  /** Where people approve letters, where a tree says so. */
  readonly vault: string | undefined
  close(): Promise<void>
}

type Mirrors = Pick<MirrorParts, 'content' | 'follow' | 'onMirror'>

export async function openConfigured(
  config: string | undefined,
  { env, platform, log }: TreeParts,
  mirrors: Mirrors,
): Promise<Configured> {
  const directory = dataDirectory(env, platform)
  const chosen = configDirectory(env, config)
  const environment = chosen === undefined ? readEnvironment(env) : undefined
  const own = environment?.accounts.length === 0 ? ownConfigDirectory(env, platform) : undefined
  const found = chosen ?? own
  if (found === undefined && environment !== undefined) {
    const accounts = new Accounts(ownAccounts(environment, { directory, log, ...mirrors }))
    const auditDirectory = join(directory, 'audit')
    const audit = openAudit({ directory: auditDirectory }, directory, log)
    const made = { directory, accounts, audit, auditDirectory, tree: undefined, writes: environment.writeEnabled }
    return { ...made, vault: undefined, close: () => closeBoth(accounts, audit) }
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
  const auditDirectory = tree.audit.directory
  const made = { directory, accounts, audit, auditDirectory, tree, writes: true, vault: tree.vault }
  return { ...made, close: () => closeBoth(accounts, audit) }
}

async function closeBoth(accounts: Accounts, audit: AuditLog): Promise<void> {
  await accounts.close()
  await audit.close()
}
