/** What a request tells beside its body: who asks, and until when an answer is of use. */
import type { Context } from 'hono'
import type { Who } from '../../engine/console/letters.ts'
import type { Env } from './env.ts'

const DEADLINE_MS = 60_000

export function whoIn(c: Context<Env>): Who {
  return { name: c.get('session').user, address: c.env.address }
}

/** For what asks a mail server, which may never answer. */
export function deadline(c: Context<Env>): AbortSignal {
  return AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(DEADLINE_MS)])
}
