/** What `postern setup` needs of adapters and configuration, put together. */
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { createMailLookup } from '../adapters/autoconfig/lookup.ts'
import { configDirectory, dataDirectory, ownPlace } from '../config/directories.ts'
import { Failure } from '../core/failure.ts'
import { findServers } from '../engine/setup/find-servers.ts'
import type { MailLookup } from '../ports/mail-lookup.ts'
import type { SetupDesk } from '../surfaces/cli/setup/desk.ts'
import { clientDesk } from './client-desk.ts'
import type { TreeParts } from './open-tree.ts'
import { programAlone } from './program-words.ts'
import { readPassword } from './setup-password.ts'
import { SetupPlace } from './setup-place.ts'
import { tryLogin } from './setup-trial.ts'

export interface SetupDeskParts extends Omit<TreeParts, 'terminal'> {
  readonly stdin: Readable
  /** Stands in for DNS and the web. */
  readonly lookup?: MailLookup
}

export function setupDesk(config: string | undefined, parts: SetupDeskParts): SetupDesk {
  const { env, platform, log, stdin } = parts
  const directory = configDirectory(env, config)?.directory ?? ownPlace(env, platform)
  const data = dataDirectory(env, platform)
  const lookup = parts.lookup ?? createMailLookup()
  const program = programAlone()
  const place = new SetupPlace({ directory, data, program, env, log })
  return {
    program,
    directory,
    current: () => place.current(),
    find: (address, signal) => findServers(address, lookup, signal),
    hasKeychain,
    readSecret: (path, signal) => readPassword(path, stdin, signal),
    kept: (ref) => place.kept(ref),
    trial: (trial, signal) => tryLogin(whole(trial, env['HOME']), log, signal),
    write: (wish, steps, signal) => place.write({ ...wish, account: whole(wish.account, env['HOME']) }, steps, signal),
    remove: (account) => place.remove(account),
    look: (account, signal) => place.look(account, signal),
    clients: clientDesk(() => place.load(), parts),
  }
}

/** A tree reads paths from where it is, and people write them from where they are. No shell reads what is typed at a question. */
function whole<T extends { readonly caFile?: string }>(named: T, home: string | undefined): T {
  const { caFile } = named
  if (caFile === undefined) return named
  const path = caFile.trim()
  return { ...named, caFile: home && /^~[/\\]/.test(path) ? join(home, path.slice(1)) : resolve(path) }
}

/** Nothing is found there, but somebody answers. */
async function hasKeychain(): Promise<boolean> {
  const { createKeychainStore } = await import('../adapters/secrets/keychain-store.ts')
  try {
    await createKeychainStore(undefined, 3000).read('secret://accounts/postern-setup/probe')
    return true
  } catch (error) {
    return error instanceof Failure && error.code === 'not_found'
  }
}
