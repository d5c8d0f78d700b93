/**
 * Where a domain says its mail is.
 *
 * Promises: nobody is asked for longer than a few seconds, and no answer is longer than it needs to be. What cannot be
 * reached, is not there or makes no sense is an empty answer, never a failure; only `signal` ends a call early, with
 * its reason. The address of a person is never sent, only the domain.
 */
import type { LoginName, MailServers } from '../core/setup/servers.ts'
import type { SrvRecord } from '../core/setup/srv.ts'

export interface MailLookup {
  /** RFC 6186: of `_imaps._tcp` and the like. */
  services(name: string, domain: string, signal: AbortSignal): Promise<readonly SrvRecord[]>
  /** The hosts that take the domain's mail in, the preferred one first. */
  exchanges(domain: string, signal: AbortSignal): Promise<readonly string[]>
  /** What the domain publishes for mail programs, over https only. */
  published(domain: string, signal: AbortSignal): Promise<PublishedServers | undefined>
}

export interface PublishedServers {
  readonly servers: MailServers
  readonly login: LoginName
}
