/** What is known of the providers, so that nobody has to write it. */
export const PROVIDERS = ['imap-standard', 'google', 'google-mock', 'gmail', 'microsoft', 'local'] as const

export interface ProviderServers {
  readonly host: string
  readonly port: number
  readonly smtp?: { readonly host: string; readonly port: number }
  readonly authservId?: string
}

const HERE: ProviderServers = { host: '127.0.0.1', port: 143 }

const GOOGLE: ProviderServers = {
  host: 'imap.gmail.com',
  port: 993,
  smtp: { host: 'smtp.gmail.com', port: 465 },
  authservId: 'mx.google.com',
}

const MICROSOFT: ProviderServers = {
  host: 'outlook.office365.com',
  port: 993,
  smtp: { host: 'smtp.office365.com', port: 587 },
}

/** A mock is on this machine: what it hands out must not reach the real one. */
export const SERVERS: Readonly<Record<(typeof PROVIDERS)[number], ProviderServers>> = {
  'imap-standard': HERE,
  google: GOOGLE,
  'google-mock': HERE,
  gmail: GOOGLE,
  microsoft: MICROSOFT,
  local: HERE,
}
