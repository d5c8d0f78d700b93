/** One account of accounts.yaml. */
import { readValue } from '../../core/policy/values.ts'
import type { Provider } from '../../core/policy-description.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { gmailServer } from './gmail.ts'
import type { Node } from './node.ts'
import type { Findings, Place } from './problems.ts'
import { PROVIDERS, SERVERS } from './providers.ts'
import { readSecretRef } from './secret-ref.ts'
import { readServer } from './servers.ts'
import { readSmtp } from './smtp.ts'
import { readSource } from './source.ts'
import { readPath, type Surroundings } from './surroundings.ts'
import type { AccountAuth, TreeAccount } from './tree.ts'

export interface ReadAccount {
  readonly account: TreeAccount
  readonly at: Place
}

/** Of no use to an account whose mail is kept by Postern itself. */
const OF_SERVERS = ['host', 'port', 'auth', 'token_cache', 'tls', 'allow_cleartext', 'ca_file', 'mirror', 'smtp']
export const ACCOUNT_KEYS = ['id', 'provider', 'user', 'identity', 'authserv_id', ...OF_SERVERS]
export const AUTH_KEYS = ['type', 'secret_ref', 'oauth_scope']
const TLS_PORT = 993

export function readAccount(node: Node, around: Surroundings, findings: Findings): ReadAccount | undefined {
  const fields = fieldsOf(node, 'an account', ACCOUNT_KEYS, findings)
  if (fields === undefined) return undefined
  fields.require('id')
  const id = readId(fields)
  const kind = fields.choice('provider', PROVIDERS) ?? 'imap-standard'
  const provider: Provider = kind === 'google-mock' ? 'google' : kind
  if (provider === 'local') refuseServer(fields)
  const user = readUser(fields, id)
  const servers = readServers(fields, kind, user, around)
  const mock = kind === 'google-mock' || servers.endpoint !== undefined
  if (provider !== 'local') warnOfLogin(fields, provider, mock, user)
  const account: TreeAccount = {
    id,
    provider,
    ...servers,
    user,
    identity: readIdentity(fields) ?? (user.includes('@') ? user : undefined),
    ca: readCertificates(fields, around),
    auth: provider === 'local' ? undefined : readAuth(fields, provider),
    tokenCache: fields.choice('token_cache', ['memory_only', 'persist_all']) ?? 'memory_only',
    authservId: readAuthservId(fields) ?? SERVERS[kind].authservId,
    mirror: fields.choice('mirror', ['off', 'headers', 'full']) ?? 'off',
    mock,
  }
  if (fields.has('smtp') && account.identity === undefined) {
    fields.warn(
      'smtp',
      'nothing can be sent from an account whose address is not known; write identity: name@example.com',
    )
  }
  if (account.tokenCache === 'persist_all' && account.auth?.type === 'password') {
    fields.warn('token_cache', 'token_cache: persist_all has no effect without auth.type: xoauth2')
  }
  return { account, at: fields.place('id') }
}

type Servers = Pick<TreeAccount, 'host' | 'port' | 'tls' | 'smtp' | 'endpoint'>

function readServers(fields: Fields, kind: (typeof PROVIDERS)[number], user: string, around: Surroundings): Servers {
  const known = SERVERS[kind]
  const cleartext = fields.flag('allow_cleartext', false)
  const server = readServer(fields, { ...known, implicitPort: TLS_PORT }, cleartext)
  const smtp = readSmtp(fields, SERVERS[kind === 'gmail' ? 'google' : kind], user, cleartext)
  if (kind !== 'gmail') return { ...server, smtp }
  const { host, port } = known
  return { ...gmailServer(fields, around, { host, port, tls: 'implicit' }), smtp: undefined }
}

function readId(fields: Fields): string {
  const id = fields.text('id') ?? ''
  if (id === '') return id
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}$/.test(id)) {
    fields.problem('id', 'id cannot be used as it is; write 1 to 64 letters, digits, _ . @ + or - instead')
  } else if (!/^[A-Za-z0-9_-]+$/.test(id)) {
    fields.warn(
      'id',
      'the tool set imap cannot address an account whose id holds . @ or +; a plain id and user: would do',
    )
  }
  return id
}

/** Trees of old give no login: it is the id where that is an address, else what stands before its first dash. */
function readUser(fields: Fields, id: string): string {
  const user = fields.text('user')
  if (user !== undefined || id.includes('@')) return user ?? id
  return id.split('-')[0] ?? id
}

function warnOfLogin(fields: Fields, provider: Provider, mock: boolean, user: string): void {
  if (provider === 'imap-standard' || mock || user.includes('@') || user === '') return
  fields.warn(
    fields.has('user') ? 'user' : 'id',
    'this provider wants an address as login; write user: name@example.com',
  )
}

function readIdentity(fields: Fields): string | undefined {
  const identity = fields.text('identity')
  if (identity !== undefined && !readValue('address', identity).ok) {
    fields.problem('identity', "identity must be the account's address; write name@example.com instead")
  }
  return identity
}

function readAuthservId(fields: Fields): string | undefined {
  const name = fields.text('authserv_id')
  if (name !== undefined && !readValue('domain', name).ok) {
    fields.problem(
      'authserv_id',
      'authserv_id must be the name that the server reports under; write mx.example.com instead',
    )
  }
  return name
}

function readAuth(fields: Fields, provider: Provider): AccountAuth | undefined {
  fields.require('auth')
  const auth = fields.fields('auth', 'auth', AUTH_KEYS)
  if (auth === undefined) return undefined
  auth.require('type', 'secret_ref')
  const type = auth.choice('type', ['password', 'xoauth2'])
  const secretRef = readSecretRef(auth, 'secret_ref') ?? ''
  const scope = auth.text('oauth_scope')
  if (type === 'password' && (provider === 'gmail' || provider === 'microsoft')) {
    auth.problem('type', `a ${provider} account takes no password; write type: xoauth2 instead`)
  }
  if (type === 'password' && scope !== undefined) {
    auth.problem(
      'oauth_scope',
      'oauth_scope says nothing about a password; write type: xoauth2 instead, or leave it out',
    )
  }
  return type === 'xoauth2' ? { type, secretRef, scope } : { type: 'password', secretRef }
}

function readCertificates(fields: Fields, around: Surroundings): string | undefined {
  const path = readPath(fields, 'ca_file', around)
  if (path === undefined) return around.ca
  const source = readSource(path, 'write the path of a PEM file instead')
  if (!source.ok) fields.problem('ca_file', `ca_file: ${source.problem}`)
  else if (source.text.includes('-----BEGIN CERTIFICATE-----')) return source.text
  else fields.problem('ca_file', 'ca_file names a file without a PEM certificate; write the path of one instead')
  return undefined
}

function refuseServer(fields: Fields): void {
  for (const key of OF_SERVERS.filter((name) => fields.has(name))) {
    fields.problem(
      key,
      `a local account has no server and takes no ${key}; leave it out, or write another provider instead`,
    )
  }
}
