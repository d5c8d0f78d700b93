/** What the process in engine.ts is told, and how it is started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Order } from '../../src/engine/transfer/order.ts'

export interface EngineOrder {
  readonly dataDir: string
  readonly accounts: readonly { readonly id: string; readonly port: number; readonly password: string }[]
  readonly work:
    | { readonly kind: 'carry'; readonly order: Omit<Order, 'callerId' | 'readable'> }
    | { readonly kind: 'resume' }
  /** Which mark it kills itself at; none where absent. */
  readonly mark?: number
}

export type EngineEnd = { readonly kind: 'killed' } | { readonly kind: 'done'; readonly marks: readonly string[] }

const PROGRAM = join(import.meta.dirname, 'engine.ts')

export async function runEngine(order: EngineOrder): Promise<EngineEnd> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code, signal], said, complaints] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  if (signal === 'SIGKILL') return { kind: 'killed' }
  if (code !== 0) throw new Error(`the engine ended with ${code}: ${complaints}`)
  return { kind: 'done', marks: JSON.parse(said) }
}
