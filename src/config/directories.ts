/** Where Postern keeps its state, where its configuration tree is, and where people approve letters. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

/** `POSTERN_DATA_DIR`, else the platform's own place for a user's data. */
export function dataDirectory(env: Variables, platform: NodeJS.Platform): string {
  const chosen = env['POSTERN_DATA_DIR']?.trim()
  if (chosen) return resolve(chosen)
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Postern')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'Postern')
  return join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'postern')
}

/** `POSTERN_VAULT`: counts before what a tree says; absent where it is not set. */
export function chosenVault(env: Variables): string | undefined {
  const chosen = env['POSTERN_VAULT']?.trim()
  return chosen ? resolve(chosen) : undefined
}

export interface ChosenDirectory {
  readonly directory: string
  /** What chose it, as its user wrote it: an option or a variable. */
  readonly from: string
}

const VARIABLES = ['POSTERN_CONFIG_DIR', 'IMAP_MCP_CONFIG_DIR']

/** The tree that somebody asked for: the value of `--config`, else the first variable that is set. It need not exist. */
export function configDirectory(env: Variables, option?: string): ChosenDirectory | undefined {
  const variable = VARIABLES.find((name) => env[name]?.trim())
  if (option !== undefined) return { directory: resolve(option), from: '--config' }
  return variable === undefined ? undefined : { directory: resolve(env[variable]?.trim() ?? ''), from: variable }
}

/** The user's own tree, where there is one: the last resort, after accounts in the environment. */
export function ownConfigDirectory(env: Variables, platform: NodeJS.Platform): ChosenDirectory | undefined {
  const directory = ownPlace(env, platform)
  return existsSync(join(directory, 'accounts.yaml')) ? { directory, from: directory } : undefined
}

/** Where `postern setup` writes it, whether or not it is there. */
export function ownPlace(env: Variables, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Postern', 'config')
  if (platform === 'win32') return join(env['APPDATA'] || join(homedir(), 'AppData', 'Roaming'), 'Postern')
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'postern')
}
