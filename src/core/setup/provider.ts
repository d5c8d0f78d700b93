/** What is known of a mail provider, so that nobody has to look it up. */
import type { AccountKind, LoginName, Server, Way } from './servers.ts'

export interface MailProvider {
  readonly id: string
  readonly name: string
  /** Whose addresses are its own. */
  readonly domains: readonly string[]
  /** Ends of the names of the hosts that take mail in, for domains of its customers. */
  readonly mx?: readonly string[]
  readonly kind: AccountKind
  readonly imap: Server
  readonly smtp: Server
  readonly login: LoginName
  /** The usual way to log in first. */
  readonly ways: readonly Way[]
  /** Where an app password is made, or what is to be done before anything works. */
  readonly help: readonly string[]
  /** A program on this machine stands between the provider and us. */
  readonly bridge?: true
}

/** A provider whose mail no other program can read. */
export interface ClosedProvider {
  readonly name: string
  readonly domains: readonly string[]
  readonly why: string
}

type Given = Pick<MailProvider, 'id' | 'name' | 'domains'> &
  Partial<Pick<MailProvider, 'mx' | 'kind' | 'login' | 'ways' | 'help' | 'bridge'>> & {
    /** A host alone stands for TLS at the usual port. */
    readonly imap: string | Server
    readonly smtp: string | Server
  }

/** Fills in what most have in common: IMAP and SMTP with TLS, the address as login, a password. */
export function provider({ imap, smtp, ...given }: Given): MailProvider {
  return {
    kind: 'imap-standard',
    login: 'address',
    ways: ['password'],
    help: [],
    ...given,
    imap: typeof imap === 'string' ? { host: imap, port: 993, tls: 'implicit' } : imap,
    smtp: typeof smtp === 'string' ? { host: smtp, port: 465, tls: 'implicit' } : smtp,
  }
}

export function starttls(host: string, port = 587): Server {
  return { host, port, tls: 'starttls' }
}
