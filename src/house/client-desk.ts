/** How MCP clients on this machine start Postern, and their files. */
import { homedir } from 'node:os'
import { createClientFiles } from '../adapters/clients/client-files.ts'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { dataDirectory } from '../config/directories.ts'
import type { Tree } from '../config/tree/tree.ts'
import { Failure } from '../core/failure.ts'
import type { ServerCommand } from '../core/setup/clients.ts'
import { addClient, listClients, removeClient } from '../engine/setup/client-entries.ts'
import type { ClientDesk } from '../surfaces/cli/client-command.ts'
import { accountOf } from './setup-tree.ts'

type Variables = Readonly<Record<string, string | undefined>>

interface Parts {
  readonly env: Variables
  readonly platform: NodeJS.Platform
}

/** `tree` is asked for only where something is to be added. */
export function clientDesk(tree: () => Tree, { env, platform }: Parts): ClientDesk {
  const home = env['HOME'] || env['USERPROFILE'] || homedir()
  const places = { platform, home, appData: env['APPDATA'], configHome: env['XDG_CONFIG_HOME'] || undefined }
  const parts = { files: createClientFiles({ home, now: () => systemClock.now() }), places }
  return {
    server: (caller) => serverFor(tree(), caller, { env, platform }),
    list: (name) => listClients(name, parts),
    add: (client, name, server) => addClient(client, name, server, parts),
    remove: (client, name) => removeClient(client, name, parts),
  }
}

function serverFor(tree: Tree, wanted: string | undefined, parts: Parts): ServerCommand {
  const [only, ...others] = tree.callers
  const caller = wanted === undefined && others.length === 0 ? only : tree.callers.find(({ id }) => id === wanted)
  if (caller === undefined) {
    const ids = tree.callers.map(({ id }) => id).join(', ')
    throw new Failure('invalid_input', `say which caller the client is with --caller: ${ids}`)
  }
  if (caller.auth.type !== 'stdio_trusted') {
    const cure = 'it connects over HTTP with its token, and its client is configured by hand'
    throw new Failure('unsupported', `caller "${caller.id}" is not trusted on stdio: ${cure}`)
  }
  const policy = tree.policies.get(caller.policy)
  const accounts = tree.accounts.filter(({ id }) => policy?.accounts.has(id))
  const sends = policy?.send?.approval !== 'forbidden' && accounts.some((account) => accountOf(account).canSend)
  return {
    command: process.execPath,
    args: [process.argv[1] ?? 'postern', '--config', tree.directory],
    env: {
      IMAP_MCP_CALLER_ID: caller.id,
      // On unless it is turned off: then letters are only noted.
      ...(sends && { DEV_MODE: 'false' }),
      ...stateOf(parts),
      ...(accounts.some(({ auth }) => auth?.type === 'xoauth2') && registrationIn(parts.env)),
    },
  }
}

/** A client does not know the variables of this shell, and has to find the same state. */
function stateOf({ env, platform }: Parts): Record<string, string> {
  const moved = env['POSTERN_DATA_DIR']?.trim() || env['XDG_STATE_HOME']
  const vault = env['POSTERN_VAULT']?.trim()
  return {
    ...(moved && { POSTERN_DATA_DIR: dataDirectory(env, platform) }),
    ...(vault && { POSTERN_VAULT: vault }),
  }
}

/** Without its own registration no token can be renewed. */
function registrationIn(env: Variables): Record<string, string> {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith('IMAP_MCP_OAUTH_') && value)
  return Object.fromEntries(named.map(([name, value]) => [name, value ?? '']))
}
