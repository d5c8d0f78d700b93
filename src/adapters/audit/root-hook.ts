/**
 * Hands a day's final hash to a program of the operator's, which keeps it where nobody who can write here can reach.
 *
 * INVARIANT: no shell, hardly any environment, a limit in time. Nothing waits for it, and its failure is logged only.
 */
import { spawn } from 'node:child_process'
import type { Log } from '../../ports/log.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface HookRun {
  /** Its path. */
  readonly program: string
  readonly finalHash: string
  readonly day: string
  /** Only PATH, HOME and LANG of it are handed on. */
  readonly environment: Environment
}

export const HOOK_LIMIT_MS = 30_000
const HANDED_ON = ['PATH', 'HOME', 'LANG']

export function runRootHook(run: HookRun, log: Log, limitMs = HOOK_LIMIT_MS): void {
  const { program, finalHash, day, environment } = run
  const failed = (fields: Readonly<Record<string, unknown>>): void =>
    log.warn({ day, ...fields }, 'the external root hook failed')
  try {
    const child = spawn(program, [finalHash, day], {
      env: Object.fromEntries(HANDED_ON.map((name) => [name, environment[name]])),
      stdio: 'ignore',
      timeout: limitMs,
      killSignal: 'SIGKILL',
    })
    child.unref()
    child.on('error', (err) => failed({ err }))
    child.on('exit', (code, signal) => {
      if (code !== 0) failed({ code, signal })
    })
  } catch (err) {
    failed({ err })
  }
}
