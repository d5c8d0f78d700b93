/**
 * What `postern doctor` looks at: this installation, its configuration and what it has kept, as a server would find them.
 *
 * INVARIANT: looking makes no file and needs no configuration that can be used. What is opened is closed with `close`.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { lookAtPlace } from '../adapters/machine/places.ts'
import { lookAtPort } from '../adapters/machine/ports.ts'
import { roomFor } from '../adapters/machine/room.ts'
import { readDevMode } from '../config/dev-mode.ts'
import { configDirectory, dataDirectory } from '../config/directories.ts'
import { readHttpSettings } from '../config/http.ts'
import { type StrayVariable, strayVariables } from '../config/strays.ts'
import type { PortLook, Runtime, World } from '../engine/doctor/world.ts'
import { USUAL_HOST, USUAL_PORT } from '../surfaces/cli/choices.ts'
import { clientsOn } from './doctor-clients.ts'
import { otherClocks } from './doctor-clocks.ts'
import { type Found, findConfiguration } from './doctor-configuration.ts'
import { lookAtFiles } from './doctor-files.ts'
import { grantsOf, secretsIn } from './doctor-secrets.ts'
import { serversOf } from './doctor-servers.ts'
import { attachmentsIn, auditLook, lettersIn, mirrorsOf, stuckTransfersIn, vaultLook } from './doctor-state.ts'
import { once } from './lazily.ts'
import type { TreeParts } from './open-tree.ts'

const NEEDED_NODE = '22.12'
/** What an installation brings along beside the bundle. */
const PACKAGES = ['better-sqlite3', 'unpdf']

export interface OpenedDoctor {
  readonly world: World
  close(): Promise<void>
}

export type DoctorParts = Pick<TreeParts, 'env' | 'platform' | 'log'> & {
  /** The program that runs: what clients should start. */
  readonly program: string
}

export function openDoctor(config: string | undefined, parts: DoctorParts): OpenedDoctor {
  const { env, platform } = parts
  const directory = dataDirectory(env, platform)
  const found = findConfiguration(config, directory, parts)
  const servers = serversOf(found, parts)
  const sending = { accounts: found.senders, devMode: readDevMode(env) }
  const world: World = {
    now: () => systemClock.now(),
    runtime,
    configuration: found.configuration,
    strays: [...strayVariables(env), ...unusedAccounts(config, parts)],
    secrets: () => secretsIn(found, parts),
    servers,
    grants: grantsOf(found, parts),
    otherClocks: (signal) => otherClocks(found, servers, parts, signal),
    directory: async () => lookAtPlace(directory),
    freeBytes: () => roomFor(directory),
    files: async () => lookAtFiles({ directory, ...found }),
    attachments: async () => attachmentsIn(directory, found.tree?.attachments.directory),
    mirrors: mirrorsOf(found.mirrored, directory),
    audit: (signal) => auditLook(found.audit, directory, signal),
    vault: async () => vaultLook(found.vault, sending.accounts.length > 0),
    sending,
    letters: () => lettersIn(directory),
    stuckTransfers: () => stuckTransfersIn(found.journal),
    port: (signal) => portLook(found, parts, signal),
    clients: once(() => clientsOn(parts)),
    emptyAccounts: found.emptyAccounts,
  }
  return { world, close: () => found.close() }
}

async function runtime(): Promise<Runtime> {
  const require = createRequire(join(import.meta.dirname, 'doctor'))
  const cannotLoad = async (name: string): Promise<boolean> => {
    try {
      if (name === 'better-sqlite3') {
        // Its binary is loaded with the first database.
        const { default: Sqlite } = await import('better-sqlite3')
        new Sqlite(':memory:').close()
      } else require.resolve(name)
      return false
    } catch {
      return true
    }
  }
  const failed = await Promise.all(PACKAGES.map(cannotLoad))
  return {
    node: process.versions.node,
    needed: NEEDED_NODE,
    unloadable: PACKAGES.filter((_, at) => failed[at]),
  }
}

/** A tree that somebody named counts alone. */
function unusedAccounts(config: string | undefined, { env }: DoctorParts): readonly StrayVariable[] {
  const chosen = configDirectory(env, config)
  const name = Object.keys(env).find((variable) => /^MAIL_IMAP_.+_HOST$/.test(variable) && env[variable]?.trim())
  if (chosen === undefined || name === undefined) return []
  const why = `and the like are not used: the tree that ${chosen.from} names counts`
  return [{ name, why, meant: `remove them, or write those accounts into ${chosen.directory}` }]
}

async function portLook({ isServed }: Found, { env }: DoctorParts, signal: AbortSignal): Promise<PortLook> {
  const { host = USUAL_HOST, port = USUAL_PORT } = readHttpSettings(env)
  const isWanted = isServed || env['IMAP_MCP_HTTP_PORT'] !== undefined
  return { host, port, isWanted, state: port === 0 ? 'free' : await lookAtPort(host, port, signal) }
}
