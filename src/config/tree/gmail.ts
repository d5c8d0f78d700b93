/** A `gmail` account: reached through Google's API, so that nothing of a mail server concerns it. */
import { GMAIL_VARIABLE } from '../gmail.ts'
import type { Fields } from './fields.ts'
import type { ReadServer } from './servers.ts'
import type { Surroundings } from './surroundings.ts'

const IDLE = ['host', 'port', 'tls', 'allow_cleartext', 'ca_file', 'smtp']

export interface GmailServer extends ReadServer {
  readonly endpoint?: string
}

export function gmailServer(fields: Fields, { gmail }: Surroundings, atGoogle: ReadServer): GmailServer {
  for (const key of IDLE.filter((name) => fields.has(name))) {
    fields.warn(key, `${key} has no effect: a gmail account reads and sends through Google's API`)
  }
  if (!gmail.ok) {
    fields.problem(
      'provider',
      `the variable ${GMAIL_VARIABLE} is no address of an API; write https://… or, on this machine, http://127.0.0.1:… instead`,
    )
  }
  if (!gmail.ok || gmail.endpoint === undefined) return atGoogle
  const { protocol, hostname, port, href } = gmail.endpoint
  const isPrivate = protocol === 'https:'
  return {
    host: hostname,
    port: port === '' ? (isPrivate ? 443 : 80) : Number(port),
    tls: isPrivate ? 'implicit' : 'none',
    endpoint: href.replace(/\/+$/, ''),
  }
}
