/**
 * Finds where the mail of an address is: what is known, what the domain says of itself, who takes its mail in.
 *
 * INVARIANT: bounded, and never a failure: where nothing is found a person is asked. What only DNS said of another domain is
 * marked, because anybody on the way could have said it.
 */
import { domainIn, normalAddress } from '../../core/policy/normal-form.ts'
import type { MailProvider } from '../../core/setup/provider.ts'
import { closedProviderOf, providerOfDomain, providerOfExchanges } from '../../core/setup/providers.ts'
import type { LoginName, MailServers } from '../../core/setup/servers.ts'
import { isElsewhere, serversFrom } from '../../core/setup/srv.ts'
import type { MailLookup } from '../../ports/mail-lookup.ts'

export type FoundServers =
  | { readonly kind: 'provider'; readonly provider: MailProvider }
  | {
      readonly kind: 'servers'
      readonly servers: MailServers
      readonly login: LoginName
      readonly from: 'dns' | 'autoconfig'
      /** The servers are not the domain's own, and nothing but DNS vouches for them. */
      readonly unproven: boolean
    }
  | { readonly kind: 'closed'; readonly why: string }
  | { readonly kind: 'nothing' }

export async function findServers(address: string, lookup: MailLookup, signal: AbortSignal): Promise<FoundServers> {
  const domain = domainIn(normalAddress(address))
  const closed = closedProviderOf(domain)
  if (closed !== undefined) return { kind: 'closed', why: closed.why }
  const known = providerOfDomain(domain)
  if (known !== undefined) return { kind: 'provider', provider: known }
  const [services, published, exchanges] = await Promise.all([
    servicesOf(domain, lookup, signal),
    lookup.published(domain, signal),
    lookup.exchanges(domain, signal),
  ])
  if (services !== undefined && !isElsewhere(services, domain)) return fromDns(services, false)
  // Published over https by the domain itself counts before what DNS says of others.
  if (published !== undefined) return { kind: 'servers', from: 'autoconfig', unproven: false, ...published }
  const host = providerOfExchanges(exchanges)
  if (host !== undefined) return { kind: 'provider', provider: host }
  return services === undefined ? { kind: 'nothing' } : fromDns(services, true)
}

function fromDns(servers: MailServers, unproven: boolean): FoundServers {
  return { kind: 'servers', servers, login: 'address', from: 'dns', unproven }
}

async function servicesOf(domain: string, lookup: MailLookup, signal: AbortSignal): Promise<MailServers | undefined> {
  const [imaps, imap, submissions, submission] = await Promise.all(
    ['_imaps._tcp', '_imap._tcp', '_submissions._tcp', '_submission._tcp'].map((name) =>
      lookup.services(name, domain, signal),
    ),
  )
  return serversFrom({
    imaps: imaps ?? [],
    imap: imap ?? [],
    submissions: submissions ?? [],
    submission: submission ?? [],
  })
}
