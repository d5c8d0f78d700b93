/** Which servers an account's mail is at, and how a person proves to be its owner. */
export type Tls = 'implicit' | 'starttls' | 'none'

export interface Server {
  readonly host: string
  readonly port: number
  readonly tls: Tls
}

export interface MailServers {
  readonly imap: Server
  /** Absent where nobody knows one: then nothing can be sent. */
  readonly smtp?: Server
}

/** What a login name is made of: the whole address, or what stands before its `@`. */
export type LoginName = 'address' | 'local_part'

/** As `provider` of an account in accounts.yaml. */
export type AccountKind = 'imap-standard' | 'google' | 'microsoft'

export type Way = 'password' | 'app_password' | 'oauth'

const TLS_PORTS = { imap: 993, smtp: 465 } as const
const USUAL_PORTS = {
  imap: { implicit: 993, starttls: 143, none: 143 },
  smtp: { implicit: 465, starttls: 587, none: 25 },
}

export function usualPort(protocol: 'imap' | 'smtp', tls: Tls): number {
  return USUAL_PORTS[protocol][tls]
}

/** As a configuration tree reads a port without `tls:`. */
export function usualTls(protocol: 'imap' | 'smtp', host: string, port: number): Tls {
  if (port === TLS_PORTS[protocol]) return 'implicit'
  return isLoopback(host) ? 'none' : 'starttls'
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

/** `host:port` as people write it; an IPv6 address with a port stands in brackets. */
export function splitHost(text: string): { readonly host: string; readonly port?: number } {
  const [, bracketed, named, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):([0-9]{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? named
  const port = portIn(digits ?? '')
  return host === undefined || port === undefined ? { host: text } : { host, port }
}

export function portIn(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

export function loginName(address: string, name: LoginName): string {
  return name === 'address' ? address : address.slice(0, address.lastIndexOf('@'))
}

export function serverText({ host, port, tls }: Server): string {
  const line = { implicit: 'TLS', starttls: 'STARTTLS', none: 'no encryption' }[tls]
  return `${host}:${port} (${line})`
}
