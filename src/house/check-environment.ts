/**
 * What a server would serve that is started without a tree: accounts of the environment, and what was imported.
 *
 * INVARIANT: nothing is opened and nobody is asked; no secret is part of what is told.
 */

import { readDevMode } from '../config/dev-mode.ts'
import { configDirectory, dataDirectory, ownConfigDirectory } from '../config/directories.ts'
import { readEnvironment } from '../config/environment.ts'
import { readRequireDigest } from '../config/require-digest.ts'
import type { CheckedEnvironment, EnvironmentEntry } from '../surfaces/cli/check-environment.ts'
import type { CheckTreeParts } from './check-tree.ts'
import { ownAccounts, usualSets } from './environment-house.ts'
import { openContent } from './postern.ts'

/** Undefined where a server would use a tree, or has nothing at all. */
export function checkEnvironment(
  config: string | undefined,
  { env, platform, log }: CheckTreeParts,
): CheckedEnvironment | undefined {
  if (configDirectory(env, config) !== undefined) return undefined
  const found = readEnvironment(env)
  const tree = ownConfigDirectory(env, platform)
  if (found.accounts.length === 0 && tree !== undefined) return undefined
  const plain = { ...found, accounts: found.accounts.map((account) => ({ ...account, mirror: 'off' as const })) }
  const directory = dataDirectory(env, platform)
  const accounts = ownAccounts(plain, { directory, log, content: openContent(log), follow: false })
  if (accounts.length === 0) return undefined
  return {
    accounts: accounts.map(({ id }): EnvironmentEntry => {
      const { imap, smtp } = found.accounts.find((account) => account.id === id) ?? {}
      return { id, ...(imap && { host: imap.host }), ...(smtp && { smtpHost: smtp.host }) }
    }),
    tools: usualSets(accounts),
    writes: found.writeEnabled,
    devMode: readDevMode(env),
    requireDigest: readRequireDigest(env),
    ...(tree !== undefined && { unusedTree: tree.directory }),
    warnings: found.strays,
  }
}

/** What is said of variables that a server passes over, since somebody named a tree. */
export function unusedVariables(config: string | undefined, { env }: Pick<CheckTreeParts, 'env'>): readonly string[] {
  const chosen = configDirectory(env, config)
  const name = Object.keys(env).find((variable) => /^MAIL_IMAP_.+_HOST$/.test(variable) && env[variable]?.trim())
  if (chosen === undefined || name === undefined) return []
  return [`${name} and the like are not used: the tree that ${chosen.from} names counts`]
}
