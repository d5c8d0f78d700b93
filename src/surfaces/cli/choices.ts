/** What a person can ask of the command line, after parsing. */
import type { Version } from '../../core/outbox/sending.ts'

export interface ServeChoice {
  /** The directory of a configuration tree; absent for what the environment says. */
  readonly config?: string
  readonly transport: 'stdio' | 'http'
  /** Absent for the environment's choice, or the usual ones. */
  readonly host?: string
  readonly port?: number
  /** As written, not yet known to exist. Absent for the configuration's own choice. */
  readonly toolsets?: readonly string[]
}

export interface DemoChoice {
  readonly stdio: boolean
  /** Absent for the usual one, or any free one where that is taken. */
  readonly port?: number
}

export interface ImportChoice {
  readonly path: string
  readonly account: string
}

export interface CheckChoice {
  readonly config?: string
}

export interface ReloadChoice {
  readonly config?: string
}

export type TransfersChoice = { readonly config?: string } & (
  | { readonly command: 'list'; readonly all: boolean }
  | RetryChoice
  | { readonly command: 'abandon'; readonly txId: string }
)

export interface RetryChoice {
  readonly command: 'retry'
  readonly which: 'all' | { readonly txId: string }
}

export type OutboxChoice = { readonly config?: string } & (
  | { readonly command: 'list'; readonly all: boolean; readonly json: boolean }
  | { readonly command: 'show'; readonly id: string; readonly json: boolean }
  | { readonly command: 'look'; readonly id: string }
  | { readonly command: 'settle'; readonly id: string; readonly wasSent: boolean; readonly yes: boolean }
)

export interface ApproveChoice {
  readonly config?: string
  readonly id: string
  /** Nobody is asked. */
  readonly yes: boolean
  /** What recipients will not see may be sent. */
  readonly acknowledgeHidden?: boolean
  /** Another version is made, shown and approved instead. */
  readonly version?: Version['how']
}

export interface RejectChoice {
  readonly config?: string
  readonly id: string
  readonly reason?: string
}

export interface ExplainChoice {
  readonly config?: string
  readonly caller: string
  readonly account: string
  readonly folder: string
  readonly uid: number
}

export interface AuditVerifyChoice {
  /** Absent for the configured audit directory. */
  readonly directory?: string
}

export const USUAL_PORT = 8025
export const USUAL_HOST = '127.0.0.1'
export const DEFAULT_SERVE: ServeChoice = { transport: 'stdio' }
export const DEFAULT_DEMO: DemoChoice = { stdio: false }

/**
 * The forms that hosts start us in, read without the help of a library: it would cost every conversation its loading
 * time. Anything else, mistakes included, is undefined and left to the real parser.
 */
export function quickServeChoice(argv: readonly string[]): ServeChoice | undefined {
  const words = argv[0] === 'serve' ? argv.slice(1) : [...argv]
  let choice = DEFAULT_SERVE
  for (let at = 0; at < words.length; at += 2) {
    const value = words[at + 1]
    if (value === undefined || value === '' || value.startsWith('-')) return undefined
    if (words[at] === '--transport' && value === 'stdio') choice = { ...choice, transport: 'stdio' }
    else if (words[at] === '--config') choice = { ...choice, config: value }
    else if (words[at] === '--toolsets') choice = { ...choice, toolsets: splitNames(value) }
    else return undefined
  }
  return choice
}

export function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
