/**
 * Looks at Gmail's history now and then: Gmail tells of news only through a service in Google's cloud, which nobody should need.
 *
 * INVARIANT: reads only. What happened while nobody looked is never lost: whoever watches is told once at the beginning, and when
 * Gmail no longer knows.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { GmailClient } from '../client/client.ts'
import { anythingSince, historyNow } from './history.ts'

export interface Watching {
  readonly client: GmailClient
  /** Rejects where there is nothing to watch. */
  readonly find: () => Promise<unknown>
  readonly pollMs: number
  readonly onChange: () => void
}

export async function watch({ client, find, pollMs, onChange }: Watching, signal: AbortSignal): Promise<void> {
  try {
    await find()
    let reached = await historyNow(client, signal)
    onChange()
    while (!signal.aborted) {
      await delay(pollMs, undefined, { signal })
      const news = await anythingSince(client, reached, signal)
      reached = news?.upTo ?? (await historyNow(client, signal))
      if (news === undefined || news.anything) onChange()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
