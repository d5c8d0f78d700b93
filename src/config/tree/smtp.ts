/** `smtp` of an account: the server that takes its letters. */
import type { Fields } from './fields.ts'
import type { ProviderServers } from './providers.ts'
import { readSecretRef } from './secret-ref.ts'
import { readServer } from './servers.ts'
import type { TreeSmtp } from './tree.ts'

const IMPLICIT_PORT = 465
const STARTTLS_PORT = 587

/** Absent where nobody knows one: then the account cannot send. */
export const SMTP_KEYS = ['host', 'port', 'tls', 'user', 'secret_ref']

export function readSmtp(
  fields: Fields,
  { smtp }: ProviderServers,
  user: string,
  cleartext: boolean,
): TreeSmtp | undefined {
  if (!fields.has('smtp')) return smtp && { ...smtp, user, secretRef: undefined }
  const given = fields.fields('smtp', 'smtp', SMTP_KEYS)
  if (given === undefined) return undefined
  if (smtp === undefined) given.require('host')
  const usualPort =
    given.choice('tls', ['implicit', 'starttls', 'none']) === 'starttls' ? STARTTLS_PORT : (smtp?.port ?? IMPLICIT_PORT)
  return {
    ...readServer(given, { host: smtp?.host, port: usualPort, implicitPort: IMPLICIT_PORT }, cleartext),
    user: given.text('user') ?? user,
    secretRef: readSecretRef(given, 'secret_ref'),
  }
}
