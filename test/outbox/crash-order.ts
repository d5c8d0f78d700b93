/** What the process in crash-engine.ts is told, and how it is started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SendRules } from '../../src/core/policy/sending.ts'
import type { SendEnding } from '../../src/core/send-ending.ts'
import type { Wish } from './vault-place.ts'

export interface CrashOrder {
  /** Where the outbox is. */
  readonly directory: string
  /** Of the SMTP server. */
  readonly port: number
  readonly now: number
  readonly approval: SendRules['approval']
  readonly wish: Wish
  /** Which mark it kills itself at; none where absent. */
  readonly mark?: number
}

export type CrashEnd =
  | { readonly kind: 'killed' }
  | {
      readonly kind: 'done'
      readonly marks: readonly string[]
      readonly ending: SendEnding | { readonly failed: string }
    }

const PROGRAM = join(import.meta.dirname, 'crash-engine.ts')

export async function runOutbox(order: CrashOrder): Promise<CrashEnd> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Many start one after the other: what the first has compiled the others need not.
    env: { ...process.env, NODE_COMPILE_CACHE: join(order.directory, 'compiled') },
  })
  const [[code, signal], said, complaints] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  if (signal === 'SIGKILL') return { kind: 'killed' }
  if (code !== 0) throw new Error(`the process ended with ${code}: ${complaints}`)
  return { kind: 'done', ...JSON.parse(said) }
}
