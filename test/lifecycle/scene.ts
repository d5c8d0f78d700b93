/** Real processes of the built program on a data directory of their own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialize, RawProcess } from '../mcp/raw-process.ts'

export const PROGRAM = join(import.meta.dirname, '../../bin/postern.mjs')
export const INBOX = ['serve', '--toolsets', 'inbox'] as const

export type Variables = Readonly<Record<string, string>>
export type Message = Readonly<Record<string, unknown>>

export interface Scene {
  /** Of state. */
  readonly directory: string
  start(args?: readonly string[], env?: Variables): RawProcess
  /** Starts one, greets it and hands back what it said. */
  greet(args?: readonly string[], env?: Variables): Promise<{ process: RawProcess; answer: Message }>
  /** Ends whatever is still running. */
  close(): Promise<void>
}

/** Nobody listens there. */
export const NOWHERE: Variables = accountAt(1)

export function accountAt(port: number, user = 'ada', pass = 'ada-password'): Variables {
  const of = 'MAIL_IMAP_DEFAULT_'
  const server = { [`${of}HOST`]: '127.0.0.1', [`${of}PORT`]: String(port), [`${of}SECURE`]: 'false' }
  return { ...server, [`${of}USER`]: user, [`${of}PASS`]: pass, [`${of}EMAIL`]: 'ada@example.com' }
}

export async function startScene(): Promise<Scene> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-life-'))
  const started: RawProcess[] = []
  const start = (args: readonly string[] = [], env: Variables = {}): RawProcess => {
    const process = new RawProcess([PROGRAM, ...args], { ...placesIn(directory), ...NOWHERE, ...env })
    started.push(process)
    return process
  }
  return {
    directory,
    start,
    async greet(args, env) {
      const process = start(args, env)
      process.write(initialize(1))
      return { process, answer: await process.answer(1) }
    },
    async close() {
      for (const process of started) process.kill()
      await Promise.all(started.map((process) => process.exitCode()))
      await rm(directory, { recursive: true })
    },
  }
}

export function placesIn(directory: string): Variables {
  const places = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'POSTERN_DATA_DIR']
  return Object.fromEntries(places.map((name) => [name, directory]))
}

export function request(id: number, method: string, params: Message = {}): Message {
  return { jsonrpc: '2.0', id, method, params }
}
