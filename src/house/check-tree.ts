/**
 * What `postern check` says of a tree: what each caller may do, and what would stand in the way of serving it.
 *
 * INVARIANT: nothing is opened and nobody is asked. What this version cannot serve is told as it would be at a start.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { localDatabase } from '../adapters/local/accounts.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import { dataDirectory } from '../config/directories.ts'
import type { Tree, TreeCaller } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { describePolicy } from '../core/policy/in-words.ts'
import type { SecretStore } from '../ports/secrets.ts'
import type { CheckedTree } from '../surfaces/cli/check.ts'
import { auditOf } from './open-tree.ts'
import { setsNamed } from './tool-sets.ts'
import { accountFrom } from './tree-accounts.ts'
import { secretsOf, shortToken } from './tree-secrets.ts'

export interface CheckTreeParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly log: SecretiveLog
}

export async function checkTree(tree: Tree, parts: CheckTreeParts): Promise<CheckedTree> {
  const { env, platform, log } = parts
  const secrets = secretsOf(tree, parts)
  const directory = dataDirectory(env, platform)
  const audit = auditOf(tree, directory, parts)
  for (const account of tree.accounts) accountFrom(account, { env, directory, log, audit, secrets })
  const keepers = keepersOf(tree)
  const refs = [...new Set(keepers.map(({ ref }) => ref))]
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
      ...mixedCallers(tree),
      ...notImported(tree, directory),
      ...(await secrets.warnings(refs)),
      ...new Set((await Promise.all(keepers.map((keeper) => secretWarnings(keeper, secrets)))).flat()),
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

/** Whoever has a token is probably meant to come over HTTP, where nobody is trusted. */
function mixedCallers({ callers }: Tree): readonly string[] {
  const trusted = callers.filter(({ auth }) => auth.type === 'stdio_trusted').map(({ id }) => `"${id}"`)
  if (trusted.length === 0 || trusted.length === callers.length) return []
  const whose = trusted.length === 1 ? `caller ${trusted[0]} is` : `callers ${trusted.join(', ')} are`
  const cure = 'keep stdio_trusted callers in another tree'
  return [`callers.yaml: ${whose} stdio_trusted, so this tree cannot be served over HTTP; ${cure}`]
}

function notImported({ accounts }: Tree, directory: string): readonly string[] {
  return accounts
    .filter(({ id, provider }) => provider === 'local' && !existsSync(localDatabase(join(directory, 'local'), id)))
    .map(({ id }) => `account "${id}" is empty: nothing is imported yet; run "postern import PATH --account ${id}"`)
}

/** Somebody whose secret is kept in the store. */
interface Keeper {
  readonly ref: string
  /** The account whose refresh token it is. */
  readonly grantOf?: string
  /** The caller whose token it is. */
  readonly tokenOf?: string
}

function keepersOf({ accounts, callers }: Tree): readonly Keeper[] {
  return [
    ...accounts.flatMap(({ id, auth, smtp }): Keeper[] => {
      if (auth === undefined) return []
      const own = auth.type === 'xoauth2' ? { ref: auth.secretRef, grantOf: id } : { ref: auth.secretRef }
      return smtp?.secretRef === undefined ? [own] : [own, { ref: smtp.secretRef }]
    }),
    ...callers.flatMap(({ id, auth }): Keeper[] =>
      auth.type === 'shared_token' ? [{ ref: auth.secretRef, tokenOf: id }] : [],
    ),
  ]
}

/** A secret that is not there yet stops nothing here, but its account or caller cannot be used. */
async function secretWarnings({ ref, grantOf, tokenOf }: Keeper, secrets: SecretStore): Promise<readonly string[]> {
  try {
    const secret = await secrets.read(ref)
    return tokenOf === undefined ? [] : shortToken(tokenOf, secret)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (grantOf !== undefined && error.code === 'not_found' && secrets.writable)
      return [`account "${grantOf}": nobody has granted access yet; run "postern oauth --account ${grantOf}"`]
    return [error.message.includes(ref) ? error.message : `${ref}: ${error.message}`]
  }
}
