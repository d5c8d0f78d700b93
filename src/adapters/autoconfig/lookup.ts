/** Asks DNS and the web where a domain's mail is. */
import type { MailLookup } from '../../ports/mail-lookup.ts'
import { askDns } from './dns.ts'
import { fetchText, type WebOptions } from './fetch-text.ts'
import { readConfig } from './read-config.ts'

export interface LookupOptions extends WebOptions {
  /** Resolvers to ask in place of the system's, as `address:port`. */
  readonly dnsServers?: readonly string[]
  readonly timeLimitMs?: number
}

const TIME_LIMIT_MS = 5000

export function createMailLookup(options: LookupOptions = {}): MailLookup {
  const timeLimitMs = options.timeLimitMs ?? TIME_LIMIT_MS
  const bounded = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)])
  const dns = { timeLimitMs, ...(options.dnsServers !== undefined && { servers: options.dnsServers }) }
  return {
    services: (name, domain, signal) =>
      askDns(dns, bounded(signal), signal, async (resolver) => {
        const records = await resolver.resolveSrv(`${name}.${domain}`)
        return records.map((record) => ({ ...record, host: record.name }))
      }),
    exchanges: (domain, signal) =>
      askDns(dns, bounded(signal), signal, async (resolver) => {
        const records = await resolver.resolveMx(domain)
        return records.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange)
      }),
    async published(domain, signal) {
      const texts = await Promise.all(
        addressesOf(domain).map((url) => fetchText(url, options, bounded(signal)).catch(() => undefined)),
      )
      signal.throwIfAborted()
      for (const text of texts) {
        const found = text === undefined ? undefined : readConfig(text, domain)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}

/** The domain's own two places, and no third party's. */
function addressesOf(domain: string): readonly string[] {
  return [
    `https://autoconfig.${domain}/mail/config-v1.1.xml`,
    `https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml`,
  ]
}
