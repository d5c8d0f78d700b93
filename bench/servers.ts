/**
 * The programs that are measured beside each other, all on the Node that runs the bench.
 *
 * INVARIANT: Postern never sees the settings of whoever runs the bench: its environment and every folder it may use
 * are made for the run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Program } from './stdio-client.ts'

export const ROOT = join(import.meta.dirname, '..')

const path = { PATH: process.env['PATH'] ?? '' }

export const bareNode: Program = { args: ['-e', '0'], env: path }
export const minimalServer: Program = { args: [join(import.meta.dirname, 'minimal-server.mjs')], env: path }

export function recordingServer(home: string): Program {
  return { args: [join(import.meta.dirname, 'recording-server.mjs'), join(home, 'record')], env: path }
}

/** Where one account has its mail. */
export interface Login {
  readonly port: number
  readonly user: string
  readonly password: string
  /** Where it speaks TLS, with a certificate that this process trusts; absent where nobody asks it there. */
  readonly tlsPort?: number
}

/** Nothing listens there: a server that only starts never tries. */
const NOWHERE: Login = { port: 9, user: 'nobody', password: 'none' }

export function postern(home: string, { port, user, password }: Login = NOWHERE, root: string = ROOT): Program {
  const folders = ['HOME', 'POSTERN_DATA_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']
  return {
    args: [join(root, 'bin', 'postern.mjs')],
    cwd: home,
    env: {
      ...path,
      ...Object.fromEntries(folders.map((name) => [name, home])),
      MAIL_IMAP_BENCH_HOST: '127.0.0.1',
      MAIL_IMAP_BENCH_PORT: String(port),
      MAIL_IMAP_BENCH_SECURE: 'false',
      MAIL_IMAP_BENCH_USER: user,
      MAIL_IMAP_BENCH_PASS: password,
    },
  }
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>, disk: string = tmpdir()): Promise<T> {
  const folder = mkdtempSync(join(disk, 'postern-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
