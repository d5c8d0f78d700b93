/** What is known of the providers, so that nobody has to write it. */
import type { ReadServer } from './servers.ts'

export const PROVIDERS = ['imap-standard', 'google', 'google-mock', 'gmail', 'microsoft', 'local'] as const

export interface ProviderServers {
  readonly host: string
  readonly port: number
  readonly smtp?: ReadServer
  readonly authservId?: string
}

const HERE: ProviderServers = { host: '127.0.0.1', port: 143 }

const GOOGLE: ProviderServers = {
  host: 'imap.gmail.com',
  port: 993,
  smtp: { host: 'smtp.gmail.com', port: 465, tls: 'implicit' },
  authservId: 'mx.google.com',
}

/** Its API sends too. */
const GMAIL: ProviderServers = { host: 'gmail.googleapis.com', port: 443, authservId: 'mx.google.com' }

const MICROSOFT: ProviderServers = {
  host: 'outlook.office365.com',
  port: 993,
  smtp: { host: 'smtp.office365.com', port: 587, tls: 'starttls' },
}

/** A mock is on this machine: what it hands out must not reach the real one. */
export const SERVERS: Readonly<Record<(typeof PROVIDERS)[number], ProviderServers>> = {
  'imap-standard': HERE,
  google: GOOGLE,
  'google-mock': HERE,
  gmail: GMAIL,
  microsoft: MICROSOFT,
  local: HERE,
}
