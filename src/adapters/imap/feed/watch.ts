/**
 * Listens to one mailbox on a connection of its own.
 *
 * INVARIANT: reads only. What happened while nobody listened is never lost: whoever watches is told once at the beginning
 * and each time the listening is renewed.
 */

import { Interrupted, refused } from '../failures.ts'
import { mustBeDone } from '../fetch.ts'
import type { Taker } from '../line/dialogue.ts'
import type { Session } from '../line/session.ts'
import { keywords } from '../wire/command.ts'

const NEWS = new Set(['EXISTS', 'EXPUNGE', 'VANISHED', 'FETCH'])
/** So long the server has to say goodbye. */
const GOODBYE_MS = 1000

export interface Watching {
  readonly open: (signal: AbortSignal) => Promise<Session>
  readonly rawName: string
  readonly onChange: () => void
  readonly idleRenewMs: number
  readonly pollMs: number
}

export async function watch(watching: Watching, signal: AbortSignal): Promise<void> {
  const hurry = new AbortController()
  const onAbort = (): void => void setTimeout(() => hurry.abort(), GOODBYE_MS).unref()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (!signal.aborted) await listen(watching, signal, hurry.signal)
  } catch (error) {
    if (signal.aborted) return
    throw error instanceof Interrupted ? error.failure : error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function listen(watching: Watching, signal: AbortSignal, hurry: AbortSignal): Promise<void> {
  const session = await watching.open(signal)
  try {
    await session.runIn(watching.rawName, { command: 'EXAMINE' }, [], signal)
    const round = session.capabilities.has('IDLE') ? idle : poll
    while (!signal.aborted) {
      watching.onChange()
      await round(session, watching, signal, hurry)
    }
  } finally {
    session.dialogue.close()
  }
}

/** Ends when it is time to renew it, or nobody listens any more. */
async function idle(session: Session, { onChange, idleRenewMs }: Watching, signal: AbortSignal, hurry: AbortSignal) {
  const until = AbortSignal.any([signal, AbortSignal.timeout(idleRenewMs)])
  const { answers } = await session.dialogue.idle(until, tellNews(onChange), hurry)
  const [answer] = answers
  if (answer !== undefined && answer.status !== 'OK') throw refused('idle', answer)
}

/** Asks until something has happened. */
async function poll(session: Session, { onChange, pollMs }: Watching, signal: AbortSignal, hurry: AbortSignal) {
  while (!signal.aborted) {
    await waited(pollMs, signal)
    if (signal.aborted) return
    mustBeDone('noop', (await session.run([keywords('NOOP')], hurry, undefined, tellNews(onChange))).answers)
  }
}

function tellNews(onChange: () => void): Taker {
  return ({ name }) => {
    if (NEWS.has(name)) onChange()
    return true
  }
}

function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done, { once: true })
  })
}
