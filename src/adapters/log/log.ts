/**
 * The operator's log: one JSON object a line, to stderr.
 *
 * INVARIANT: no field whose name says secret, and no value handed to `hide`, ever reaches it, at any depth, in messages,
 * stacks and causes too. Logging never throws.
 */
import type { Log, LogFields } from '../../ports/log.ts'
import { type Json, plain } from './plain.ts'
import { Secrets } from './secrets.ts'
import { stderrLines } from './stderr.ts'

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof LEVELS)[number]

export interface SecretiveLog extends Log {
  /** From now on this value is masked wherever it would appear, also as base64 or percent-encoded. */
  hide(secret: string): void
}

export interface LogOptions {
  readonly level: LogLevel
  /** Takes whole lines; stderr when absent. */
  readonly destination?: (line: string) => void
}

export function createLog({ level, destination }: LogOptions): SecretiveLog {
  const secrets = new Secrets()
  let write = destination
  const at = (own: LogLevel) => {
    if (LEVELS.indexOf(own) < LEVELS.indexOf(level)) return () => undefined
    return (fields: LogFields, message: string) => {
      write ??= stderrLines()
      write(`${JSON.stringify(record(own, fields, message, secrets))}\n`)
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    hide: (secret) => secrets.hide(secret),
  }
}

function record(level: LogLevel, fields: LogFields, message: string, secrets: Secrets): Json {
  const own = { time: new Date().toISOString(), level, msg: secrets.mask(message) }
  try {
    const rest = plain(fields, secrets)
    return typeof rest === 'object' ? { ...own, ...rest, ...own } : own
  } catch (error) {
    // A proxy, say, that will not be looked at.
    return { ...own, unreadable: error instanceof Error ? secrets.mask(error.message) : 'fields' }
  }
}
