/** One question to DNS. No answer, of whatever kind, is an empty one. */
import { Resolver } from 'node:dns/promises'

export interface DnsOptions {
  readonly servers?: readonly string[]
  readonly timeLimitMs: number
}

/** More than any domain has. */
const MOST_RECORDS = 50

/** `limit` ends the question, `signal` the whole search. */
export async function askDns<T>(
  { servers, timeLimitMs }: DnsOptions,
  limit: AbortSignal,
  signal: AbortSignal,
  ask: (resolver: Resolver) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const resolver = new Resolver({ timeout: timeLimitMs, tries: 1 })
  if (servers !== undefined) resolver.setServers([...servers])
  const cancel = (): void => resolver.cancel()
  limit.addEventListener('abort', cancel, { once: true })
  try {
    return (await ask(resolver)).slice(0, MOST_RECORDS)
  } catch {
    signal.throwIfAborted()
    return []
  } finally {
    limit.removeEventListener('abort', cancel)
  }
}
