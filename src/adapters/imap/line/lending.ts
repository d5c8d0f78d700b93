/**
 * Runs work on a borrowed session, and judges what a lost connection means.
 *
 * INVARIANT: a read is tried a second time, and no third, where the connection turned out to be dead before it answered
 * anything. A write is never tried again: once sent and not answered its outcome is unknown.
 */
import { Interrupted, outcomeUnknown } from '../failures.ts'
import type { Pool } from './pool.ts'
import type { Session } from './session.ts'

export async function reading<T>(
  pool: Pool<Session>,
  rawName: string | undefined,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const first = await attempt(pool, rawName, signal, work)
  if (first.kind === 'done') return first.result
  pool.dropIdle()
  const second = await attempt(pool, rawName, signal, work)
  if (second.kind === 'done') return second.result
  throw second.why.failure
}

/** `prepare` only reads; `perform` sends one change. */
export async function writing<P, T>(
  pool: Pool<Session>,
  rawName: string | undefined,
  signal: AbortSignal,
  stage: string,
  prepare: (session: Session) => Promise<P>,
  perform: (session: Session, prepared: P) => Promise<T>,
): Promise<T> {
  return reading(pool, rawName, signal, async (session) => {
    const prepared = await prepare(session)
    try {
      return await perform(session, prepared)
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      throw error.sent ? outcomeUnknown(stage, error.failure) : error.failure
    } finally {
      session.selected = undefined
      pool.forgetSelections()
    }
  })
}

type Attempt<T> = { readonly kind: 'done'; readonly result: T } | { readonly kind: 'stale'; readonly why: Interrupted }

async function attempt<T>(
  pool: Pool<Session>,
  rawName: string | undefined,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<Attempt<T>> {
  const session = await pool.acquire(rawName, signal)
  try {
    return { kind: 'done', result: await work(session) }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    if (!error.heard && error.failure.code === 'unavailable') return { kind: 'stale', why: error }
    throw error.failure
  } finally {
    pool.release(session)
  }
}
