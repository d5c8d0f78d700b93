/** The clients on this machine that name us, and whether what they name is there. */
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { createClientFiles } from '../adapters/clients/client-files.ts'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { answersAt } from '../adapters/machine/ports.ts'
import { readDevMode } from '../config/dev-mode.ts'
import { Failure } from '../core/failure.ts'
import { CLIENTS, type McpClient } from '../core/setup/clients.ts'
import { type NamedServer, serversNamed } from '../engine/doctor/named-servers.ts'
import type { ClientFile, ClientServer } from '../engine/doctor/world.ts'
import type { DoctorParts } from './doctor.ts'

const PATIENCE_MS = 3000
const TREES = ['POSTERN_CONFIG_DIR', 'IMAP_MCP_CONFIG_DIR']

export async function clientsOn(parts: DoctorParts): Promise<readonly ClientFile[]> {
  const found = await Promise.all(CLIENTS.map((client) => fileOf(client, parts)))
  return found.filter((file) => file !== undefined)
}

async function fileOf(client: McpClient, parts: DoctorParts): Promise<ClientFile | undefined> {
  const { env, platform } = parts
  const home = env['HOME'] || env['USERPROFILE'] || homedir()
  const files = createClientFiles({ home, now: () => systemClock.now() })
  const path = client.path({ platform, home, appData: env['APPDATA'], configHome: env['XDG_CONFIG_HOME'] })
  const about = { client: client.name, word: client.id, path: join(...path) }
  try {
    // One that is no JSON is nothing that we write.
    const text = client.key === undefined ? undefined : await files.read(path)
    if (client.key === undefined || text === undefined) {
      return (await files.isAtHome(path)) ? { ...about, servers: [] } : undefined
    }
    const servers = serversNamed(text, client.key)
    return { ...about, servers: await Promise.all(servers.map((server) => lookAt(server, parts))) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...about, problem: 'is no JSON that can be read', servers: [] }
  }
}

async function lookAt({ name, words, env, url }: NamedServer, parts: DoctorParts): Promise<ClientServer> {
  if (url !== undefined) {
    const isAnswered = await answersAt(url, AbortSignal.timeout(PATIENCE_MS))
    return { name, missing: [], ...(!isAnswered && { unanswered: hostOf(url) }) }
  }
  const [command = '', ...args] = words
  const program = programAt(command, parts)
  const missing = [
    ...(program === undefined ? [command] : []),
    ...args.filter((word) => isScript(word) && !existsSync(word)),
    ...treesIn(args, env).filter((tree) => isAbsolute(tree) && !existsSync(tree)),
  ]
  const elsewhere = otherInstallation([program ?? '', ...args], parts.program)
  return { name, missing, letsGo: !readDevMode(env), ...(elsewhere !== undefined && { elsewhere }) }
}

/** An address may hold a token: only where it leads is told. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that is none'
}

function isScript(word: string): boolean {
  return isAbsolute(word) && /\.[cm]?js$/.test(word)
}

function treesIn(args: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const option = args.indexOf('--config')
  return [option < 0 ? undefined : args[option + 1], ...TREES.map((name) => env[name])].filter(
    (tree) => tree !== undefined,
  )
}

/** As a shell would find it. */
function programAt(command: string, { env, platform }: DoctorParts): string | undefined {
  const endings = platform === 'win32' ? ['', '.exe', '.cmd'] : ['']
  const places = isAbsolute(command) ? [''] : (env['PATH'] ?? '').split(delimiter)
  const candidates = places.flatMap((place) => endings.map((ending) => join(place, command + ending)))
  return candidates.find((candidate) => existsSync(candidate))
}

function otherInstallation(words: readonly string[], own: string): string | undefined {
  const script = words.find((word) => isAbsolute(word) && /(postern|imap-mcp)(\.mjs)?$/.test(word) && existsSync(word))
  return script === undefined || !existsSync(own) || realpathSync(script) === realpathSync(own) ? undefined : script
}
