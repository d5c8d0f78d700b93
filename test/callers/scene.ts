/**
 * A configuration tree with local accounts, one for each caller, and the built program that serves it.
 *
 * INVARIANT: everything lies in one directory that goes with `close`, and every process that was started is ended by it.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { localDatabase } from '../../src/adapters/local/accounts.ts'
import { createLocalSource } from '../../src/adapters/local/source.ts'
import { databaseFiles } from '../../src/adapters/sqlite/database-files.ts'
import { PROGRAM } from '../imap/postern.ts'
import { letter } from '../mail-source/messages.ts'
import { RawProcess } from '../mcp/raw-process.ts'

export interface AuditLine {
  readonly tool: string
  readonly caller_id: string
  readonly caller_addr: string
  readonly decision: string
  readonly reason: string
  readonly result: string
  readonly error_type: string | null
  readonly visibility_granted: string | null
  readonly args_summary: { readonly account?: string }
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface HttpServer {
  readonly process: RawProcess
  /** Of `/mcp`. */
  readonly url: string
  readonly port: number
}

export interface Scene {
  readonly tree: string
  readonly data: string
  /** Replaces files of the tree, by their paths in it. */
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Puts a letter with that subject into a folder of a local account. */
  deliver(account: string, subject: string, folder?: string): Promise<void>
  env(more?: Readonly<Record<string, string>>): Record<string, string>
  /** Starts the program; it sees the scene's variables and these. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): RawProcess
  /** Serves over HTTP, and resolves when it listens. */
  serve(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<HttpServer>
  /** Runs a command to its end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>
  records(): Promise<AuditLine[]>
  close(): Promise<void>
}

export async function startScene(files: Readonly<Record<string, string>> = treeOf(['ann', 'ben'])): Promise<Scene> {
  const root = await mkdtemp(join(tmpdir(), 'pc-'))
  const [tree, data] = [join(root, 'tree'), join(root, 'data')]
  const started: RawProcess[] = []
  const env: Scene['env'] = (more = {}) => ({
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    XDG_CONFIG_HOME: root,
    POSTERN_DATA_DIR: data,
    POSTERN_CONFIG_DIR: tree,
    ...more,
  })
  const scene: Scene = {
    tree,
    data,
    write: (changed) => writeFiles(tree, changed),
    deliver: (account, subject, folder = 'INBOX') => deliver(data, account, subject, folder),
    env,
    start(args, more) {
      const child = new RawProcess([PROGRAM, ...args], env(more))
      started.push(child)
      return child
    },
    async serve(args = ['--port', '0'], more) {
      const child = scene.start(['--transport', 'http', ...args], more)
      const url = await listening(child)
      return { process: child, url, port: Number(new URL(url).port) }
    },
    run: (args, more) => run(args, env(more)),
    records: () => records(join(data, 'audit')),
    async close() {
      for (const child of started) child.kill()
      await Promise.all(started.map((child) => child.exitCode()))
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await scene.write(files)
  return scene
}

export const tokenOf = (caller: string): string => `token-of-${caller}-which-is-long-enough`
export const canaryOf = (caller: string): string => `canary-of-${caller}-0`

export type Level = 'NONE' | 'COUNT' | 'METADATA' | 'ENVELOPE' | 'BODY' | 'FULL'

/** For each caller an account of the same name, a policy that shows its INBOX, and a token. */
export function treeOf(callers: readonly string[], transport: 'http' | 'stdio' = 'http'): Record<string, string> {
  const lines = callers.map((id) => callerLine(id, transport))
  return {
    'accounts.yaml': accountsYaml(callers),
    'callers.yaml': `callers:\n${lines.join('')}`,
    ...Object.fromEntries(callers.map((id) => [`policies/${id}.yaml`, policyYaml(id, 'FULL')])),
    ...Object.fromEntries(callers.map((id) => [`secrets/callers/${id}`, tokenOf(id)])),
  }
}

export function callerLine(id: string, transport: 'http' | 'stdio' = 'http', more = ''): string {
  const auth =
    transport === 'http' ? `type: shared_token, token_secret_ref: secret://callers/${id}` : 'type: stdio_trusted'
  return `  - { id: ${id}, policy: ${id}, auth: { ${auth} }${more} }\n`
}

export function accountsYaml(ids: readonly string[], more = ''): string {
  const accounts = ids.map((id) => `  - { id: ${id}, provider: local }\n`).join('')
  return `accounts:\n${accounts}secret_store: { backend: file_dir, path: secrets }\n${more}`
}

export function policyYaml(id: string, level: Level, account = id): string {
  const mode = level === 'NONE' ? 'whitelist' : 'blacklist'
  return `name: ${id}\naccounts:\n  ${account}:\n    - { path: INBOX, mode: ${mode}, default: ${level} }\n`
}

async function writeFiles(tree: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(tree, name)
    await mkdir(dirname(path), { recursive: true })
    // Whole or not at all, as an operator's editor does it: a server may be reading.
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
}

async function deliver(data: string, account: string, subject: string, folder: string): Promise<void> {
  await mkdir(join(data, 'local'), { recursive: true })
  const source = createLocalSource({
    path: localDatabase(join(data, 'local'), account),
    account,
    databases: databaseFiles,
  })
  const bytes = Buffer.from(letter({ subject, body: `body of ${subject}` }))
  await source.append(folder, { bytes, flags: [] }, new AbortController().signal)
  await source.close()
}

async function listening(child: RawProcess): Promise<string> {
  const ended = child.exitCode().then((code) => {
    throw new Error(`the server ended with ${code} before it listened:\n${child.errors}`)
  })
  const heard = new Promise<string>((resolve) => {
    const look = (): void => {
      const url = /serving MCP at (http:\S+\/mcp)\n/.exec(child.errors)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.child.stderr.on('data', look)
    look()
  })
  ended.catch(() => undefined)
  return Promise.race([heard, ended])
}

function run(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
    })
  })
}

/** Whole lines only: the last one may be on its way. */
async function records(directory: string): Promise<AuditLine[]> {
  const names = await readdir(directory).catch(() => [])
  const days = names.filter((name) => name.endsWith('.jsonl')).sort()
  const texts = await Promise.all(days.map((day) => readFile(join(directory, day), 'utf8')))
  return texts.flatMap((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line): AuditLine => JSON.parse(line)),
  )
}
