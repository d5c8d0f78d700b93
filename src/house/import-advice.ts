/**
 * What is left to do after `postern import` so that an agent can read the mail: with a configuration tree an account counts only
 * where the tree names it.
 */
import { configDirectory, ownConfigDirectory } from '../config/directories.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadTree } from '../config/tree/load.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import { quoted } from '../engine/doctor/checks/configuration.ts'

export interface ImportPlaces {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Where state lives. */
  readonly directory: string
}

/** Before anything is read: an account that has a server would never show what is imported. */
export function refuseServerAccount(id: string, places: ImportPlaces): void {
  if (readEnvironment(places.env).accounts.some((other) => other.id === id)) {
    throw new Failure('invalid_input', `account "${id}" is an IMAP account in the environment; choose another id`)
  }
  const tree = treeOf(places)
  const account = tree?.accounts.find((other) => other.id === id)
  if (tree === undefined || account === undefined || account.provider === 'local') return
  throw new Failure('invalid_input', `account "${id}" in ${tree.directory} has a mail server; choose another id`)
}

/** Nothing where agents can read the account already. */
export function importAdvice(id: string, places: ImportPlaces): readonly string[] {
  const tree = treeOf(places)
  if (tree === undefined) return []
  const isAccount = tree.accounts.some((account) => account.id === id)
  const isShown = [...tree.policies.values()].some(({ accounts }) => accounts.has(id))
  if (isAccount && isShown) return []
  const names = [...tree.policies.keys()]
  return [
    '',
    `No agent can read it yet: ${tree.directory} does not ${isAccount ? 'show it to anyone' : 'name the account'}.`,
    ...(isAccount ? [] : ['Add this to accounts.yaml, below "accounts:":', `  - { id: ${id}, provider: local }`]),
    ...(isShown
      ? []
      : [
          `Add this to the policy of each agent that may read it (${names.join(', ')}), below "accounts:":`,
          `  ${id}:`,
          '    - { path: "**", mode: blacklist, default: FULL }',
        ]),
    `Then run: postern check --config ${quoted(tree.directory)}`,
    'Servers that run read it after: postern reload',
  ]
}

/** As a server would find it. One that cannot be used is told of by whoever starts a server. */
function treeOf({ env, platform, directory }: ImportPlaces): Tree | undefined {
  const chosen = configDirectory(env)
  const own = chosen === undefined && readEnvironment(env).accounts.length === 0
  const found = chosen ?? (own ? ownConfigDirectory(env, platform) : undefined)
  try {
    return found && loadTree(found.directory, env, directory)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}
