/** The configuration as a server would find it, with what can be said of it even where it cannot be used. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { localAccounts, localDatabase } from '../adapters/local/accounts.ts'
import { configDirectory, ownConfigDirectory } from '../config/directories.ts'
import { type EnvironmentConfig, readEnvironment } from '../config/environment.ts'
import { loadTree } from '../config/tree/load.ts'
import { TreeProblems } from '../config/tree/problems.ts'
import type { Tree, TreeAccount } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import type { Account } from '../engine/accounts/accounts.ts'
import type { Configuration } from '../engine/doctor/world.ts'
import type { Access } from '../ports/access.ts'
import type { DoctorParts } from './doctor.ts'
import { ownAccounts } from './environment-house.ts'
import { auditOf } from './open-tree.ts'
import { outboxSettings } from './outbox.ts'
import { openContent } from './postern.ts'
import { accountFrom, sendingAccess } from './tree-accounts.ts'
import { secretsOf } from './tree-secrets.ts'

export interface Found {
  readonly configuration: Configuration
  /** One of them, or neither where there is nothing that can be used. */
  readonly tree?: Tree
  readonly environment?: EnvironmentConfig
  /** Without mirrors: only servers are asked. */
  readonly accounts: readonly Account[]
  /** How an account of a tree logs in where its mail leaves. */
  sendingAccess?(account: TreeAccount): Access | undefined
  /** The ids of those that are kept on this machine. */
  readonly mirrored: readonly string[]
  /** The ids of those that letters can leave from. */
  readonly senders: readonly string[]
  readonly emptyAccounts: readonly string[]
  /** Whether anybody is meant to come over HTTP. */
  readonly isServed: boolean
  /** The directory of the record, the journal of moves, and the vault. */
  readonly audit: string
  readonly journal: string
  readonly vault: string
  close(): Promise<void>
}

export function findConfiguration(config: string | undefined, directory: string, parts: DoctorParts): Found {
  const { env, platform } = parts
  const nothing = emptyPlace(directory, parts)
  const chosen = configDirectory(env, config)
  let where = 'environment'
  try {
    const environment = chosen === undefined ? readEnvironment(env) : undefined
    const own = environment?.accounts.length === 0 ? ownConfigDirectory(env, platform) : undefined
    const tree = chosen ?? own
    if (tree === undefined) return fromEnvironment(environment ?? readEnvironment(env), directory, parts, nothing)
    where = tree.directory
    return fromTree(loadTree(where, env, directory), directory, parts)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...nothing, configuration: { kind: 'unusable', where, problems: problemsIn(error) } }
  }
}

function problemsIn(failure: Failure): readonly string[] {
  if (failure instanceof TreeProblems) return failure.message.split('\n')
  const [, several] = /^the environment cannot be used: (.*)$/.exec(failure.message) ?? []
  return several?.split('; ') ?? [failure.message]
}

function emptyPlace(directory: string, { env }: DoctorParts): Found {
  return {
    configuration: { kind: 'none' },
    accounts: [],
    mirrored: [],
    senders: [],
    emptyAccounts: [],
    isServed: false,
    audit: join(directory, 'audit'),
    journal: join(directory, 'wal.db'),
    vault: outboxSettings(env, directory).vault,
    close: async () => undefined,
  }
}

function fromEnvironment(config: EnvironmentConfig, directory: string, { log }: DoctorParts, nothing: Found): Found {
  for (const { imap, smtp } of config.accounts) for (const server of [imap, smtp]) if (server) log.hide(server.password)
  const plain = { ...config, accounts: config.accounts.map((account) => ({ ...account, mirror: 'off' as const })) }
  const content = openContent(log)
  const accounts = ownAccounts(plain, { directory, log, content, follow: false })
  const imported = localAccounts(join(directory, 'local')).length
  const number = config.accounts.length + imported
  return {
    ...nothing,
    configuration: number === 0 ? { kind: 'none' } : { kind: 'environment', accounts: number },
    environment: config,
    accounts,
    mirrored: config.accounts.filter(({ mirror }) => mirror !== 'off').map(({ id }) => id),
    senders: accounts.filter(({ sender }) => sender !== undefined).map(({ id }) => id),
    isServed: config.httpToken !== undefined,
    close: () => closeAll(accounts),
  }
}

function fromTree(tree: Tree, directory: string, parts: DoctorParts): Found {
  const { env, log } = parts
  const audit = auditOf(tree, directory, parts)
  const secrets = secretsOf(tree, parts)
  const accountParts = { env, directory, log, audit, secrets }
  const accounts = tree.accounts.map((account) => accountFrom(account, accountParts))
  const { accounts: written, callers, warnings } = tree
  const isEmpty = (id: string): boolean => !existsSync(localDatabase(join(directory, 'local'), id))
  return {
    configuration: {
      kind: 'tree',
      directory: tree.directory,
      accounts: written.length,
      callers: callers.length,
      warnings,
    },
    tree,
    accounts,
    sendingAccess: (account) => sendingAccess(account, accountParts),
    mirrored: written.filter(({ mirror }) => mirror !== 'off').map(({ id }) => id),
    senders: accounts.filter(({ sender }) => sender !== undefined).map(({ id }) => id),
    emptyAccounts: written.filter(({ id, provider }) => provider === 'local' && isEmpty(id)).map(({ id }) => id),
    isServed: callers.some(({ auth }) => auth.type === 'shared_token'),
    audit: tree.audit.directory,
    journal: tree.walPath,
    vault: outboxSettings(env, directory, tree.vault).vault,
    async close() {
      await closeAll(accounts)
      await audit.close()
    },
  }
}

async function closeAll(accounts: readonly Account[]): Promise<void> {
  await Promise.allSettled(accounts.flatMap(({ source, sender }) => [source.close(), sender?.close()]))
}
