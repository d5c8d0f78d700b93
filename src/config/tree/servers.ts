/**
 * How a mail server is reached.
 *
 * INVARIANT: without TLS only on this machine, or where the account says `allow_cleartext: true`.
 */
import { isHost, isLoopback } from '../hosts.ts'
import type { Fields } from './fields.ts'
import type { Tls } from './tree.ts'

export interface ServerDefaults {
  readonly host: string | undefined
  readonly port: number
  /** Where TLS starts with the first byte. */
  readonly implicitPort: number
}

export interface ReadServer {
  readonly host: string
  readonly port: number
  readonly tls: Tls
}

export function readServer(fields: Fields, defaults: ServerDefaults, cleartext: boolean): ReadServer {
  const host = readHost(fields) ?? defaults.host ?? ''
  const port = fields.whole('port', 1, 65_535) ?? defaults.port
  const chosen = fields.choice('tls', ['implicit', 'starttls', 'none'])
  const tls = chosen ?? tlsByPort(host, port === defaults.implicitPort, cleartext)
  if (tls === 'none' && !cleartext && !isLoopback(host)) {
    fields.problem(
      'tls',
      'tls: none sends passwords in the clear; write tls: starttls instead, or add allow_cleartext: true',
    )
  }
  return { host, port, tls }
}

function tlsByPort(host: string, implicit: boolean, cleartext: boolean): Tls {
  if (implicit) return 'implicit'
  return cleartext || isLoopback(host) ? 'none' : 'starttls'
}

function readHost(fields: Fields): string | undefined {
  const host = fields.text('host')
  if (host === undefined || isHost(host)) return host
  fields.problem('host', 'host must be a name or an address alone; write it without scheme, port or path instead')
  return undefined
}
