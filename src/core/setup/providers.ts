/**
 * The providers that are known by the domain of an address, or by who takes a domain's mail in.
 *
 * INVARIANT: no domain is in two entries; every server is spoken to with TLS, but for a bridge on this machine.
 */
import { normalDomain } from '../policy/normal-form.ts'
import type { ClosedProvider, MailProvider } from './provider.ts'
import { HOSTERS } from './provider-hosters.ts'
import { MAILBOXES } from './provider-mailboxes.ts'
import { REGIONAL } from './provider-regional.ts'

export const PROVIDERS: readonly MailProvider[] = [...MAILBOXES, ...REGIONAL, ...HOSTERS]

export const CLOSED: readonly ClosedProvider[] = [
  {
    name: 'Tuta',
    domains: ['tuta.com', 'tuta.io', 'tutanota.com', 'tutanota.de', 'tutamail.com', 'keemail.me'],
    why: 'Tuta offers no IMAP, so no other program can read its mail',
  },
  {
    name: 'HEY',
    domains: ['hey.com'],
    why: 'HEY offers no IMAP, so no other program can read its mail',
  },
]

const BY_DOMAIN: ReadonlyMap<string, MailProvider> = new Map(
  PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
)

export function providerOfDomain(domain: string): MailProvider | undefined {
  return BY_DOMAIN.get(normalDomain(domain))
}

export function closedProviderOf(domain: string): ClosedProvider | undefined {
  const normal = normalDomain(domain)
  return CLOSED.find(({ domains }) => domains.includes(normal))
}

/** Who takes a domain's mail in is not always who keeps it, but no other host than a known one can come of it. */
export function providerOfExchanges(hosts: readonly string[]): MailProvider | undefined {
  const names = hosts.map((host) => `.${normalDomain(host)}`)
  return PROVIDERS.find(({ mx = [] }) => names.some((name) => mx.some((end) => name.endsWith(`.${end}`))))
}
