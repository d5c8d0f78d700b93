/** What SRV records of a domain say about its mail servers (RFC 6186). */
import { normalDomain } from '../policy/normal-form.ts'
import type { MailServers, Server, Tls } from './servers.ts'

export interface SrvRecord {
  readonly host: string
  readonly port: number
  readonly priority: number
  readonly weight: number
}

export interface SrvAnswers {
  readonly imaps: readonly SrvRecord[]
  readonly imap: readonly SrvRecord[]
  readonly submissions: readonly SrvRecord[]
  readonly submission: readonly SrvRecord[]
}

const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/

/** TLS from the first byte counts before what is made safe later. Undefined where no IMAP server is named. */
export function serversFrom({ imaps, imap, submissions, submission }: SrvAnswers): MailServers | undefined {
  const incoming = serverIn(imaps, 'implicit') ?? serverIn(imap, 'starttls')
  if (incoming === undefined) return undefined
  const outgoing = serverIn(submissions, 'implicit') ?? serverIn(submission, 'starttls')
  return { imap: incoming, ...(outgoing !== undefined && { smtp: outgoing }) }
}

/** Anybody on the way may have written an answer of DNS, so a host elsewhere is only trusted after a person has seen it. */
export function isElsewhere({ imap, smtp }: MailServers, domain: string): boolean {
  const end = `.${normalDomain(domain)}`
  return [imap, smtp].some((server) => server !== undefined && !`.${normalDomain(server.host)}`.endsWith(end))
}

/** A target of "." says that the service is not offered. */
function serverIn(records: readonly SrvRecord[], tls: Tls): Server | undefined {
  const sound = records
    .map((record) => ({ ...record, host: normalDomain(record.host) }))
    .filter(({ host, port }) => HOST.test(host) && Number.isInteger(port) && port > 0 && port < 65_536)
  const [best] = sound.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
  return best && { host: best.host, port: best.port, tls }
}
