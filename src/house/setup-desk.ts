/** What `postern setup` needs of adapters and configuration, put together. */
import type { Readable } from 'node:stream'
import { createMailLookup } from '../adapters/autoconfig/lookup.ts'
import { configDirectory, dataDirectory, ownPlace } from '../config/directories.ts'
import { Failure } from '../core/failure.ts'
import { findServers } from '../engine/setup/find-servers.ts'
import type { MailLookup } from '../ports/mail-lookup.ts'
import type { SetupDesk } from '../surfaces/cli/setup/desk.ts'
import { clientDesk } from './client-desk.ts'
import type { TreeParts } from './open-tree.ts'
import { readPassword } from './setup-password.ts'
import { SetupPlace } from './setup-place.ts'
import { programWords } from './setup-program.ts'
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
  const program = programWords(process.argv[1] ?? '')
  const place = new SetupPlace({ directory, data, program, env, log })
  return {
    program,
    directory,
    current: () => place.current(),
    find: (address, signal) => findServers(address, lookup, signal),
    hasKeychain,
    readSecret: (path, signal) => readPassword(path, stdin, signal),
    trial: (trial, signal) => tryLogin(trial, log, signal),
    write: (wish, steps, signal) => place.write(wish, steps, signal),
    remove: (account) => place.remove(account),
    look: (account, signal) => place.look(account, signal),
    clients: clientDesk(() => place.load(), parts),
  }
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
