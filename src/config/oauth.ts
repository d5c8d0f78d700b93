/**
 * The OAuth client and endpoints from `IMAP_MCP_OAUTH_*` variables.
 *
 * INVARIANT: no client id is built in. Google's and Microsoft's accounts only ever talk to Google and Microsoft, whatever
 * endpoints are set for others, so that no refresh token goes to the wrong house. No value of a secret is part of a message.
 */
import { Failure } from '../core/failure.ts'

export type OAuthProvider = 'google' | 'microsoft' | 'generic'

export interface OAuthClientSettings {
  readonly provider: OAuthProvider
  readonly clientId: string
  readonly clientSecret?: string
  /** Where the provider describes itself. */
  readonly issuer?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  /** The port the browser is sent back to, for providers that must know it beforehand. */
  readonly redirectPort?: number
}

export interface OAuthAccountFacts {
  /** As in accounts.yaml; all but Google's and Microsoft's are `generic`. */
  readonly provider: string
  /** `google-mock`, or Gmail's API elsewhere: Google's manner at endpoints from the environment. */
  readonly mock: boolean
}

type Variables = Readonly<Record<string, string | undefined>>

const PREFIX = 'IMAP_MCP_OAUTH_'
const GOOGLE = {
  issuer: 'https://accounts.google.com',
  authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
}
const TENANT = /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$/

const REGISTER: Readonly<Record<OAuthProvider, string>> = {
  google:
    'in the Google Cloud console, under "APIs & Services" and "Credentials", create an OAuth client ID of the type "Desktop app"',
  microsoft:
    'in the Microsoft Entra admin center, under "App registrations", register an app with the redirect URI http://localhost of the kind "Mobile and desktop applications"',
  generic: 'register a native (public) client with your mail provider',
}

/** To read, change and send. Google's one scope is good for its IMAP, its SMTP and its API alike. */
const DEFAULT_SCOPES: Readonly<Record<OAuthProvider, string>> = {
  google: 'https://mail.google.com/',
  microsoft: 'https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access',
  generic: '',
}

export function oauthProvider(provider: string): OAuthProvider {
  if (provider === 'google' || provider === 'gmail') return 'google'
  return provider === 'microsoft' ? 'microsoft' : 'generic'
}

/** What is asked for: as configured, or all of mail. Microsoft gives a lasting grant only where that is asked for too. */
export function oauthScope(provider: string, configured: string | undefined): string {
  const kind = oauthProvider(provider)
  const scope = configured?.trim() || DEFAULT_SCOPES[kind]
  const lasts = kind !== 'microsoft' || scope.split(/\s+/).includes('offline_access')
  return lasts ? scope : `${scope} offline_access`
}

/** `IMAP_MCP_OAUTH_GOOGLE_CLIENT_ID` counts before `IMAP_MCP_OAUTH_CLIENT_ID`, and so on for each variable and provider. */
export function readOAuthClient(env: Variables, account: OAuthAccountFacts): OAuthClientSettings {
  const provider = oauthProvider(account.provider)
  const read = (name: string): string | undefined =>
    env[`${PREFIX}${provider.toUpperCase()}_${name}`]?.trim() || env[PREFIX + name]?.trim() || undefined
  const clientId = read('CLIENT_ID')
  if (clientId === undefined) throw noClient(provider)
  const clientSecret = read('CLIENT_SECRET')
  const redirectPort = portFrom(read('REDIRECT_PORT'))
  return {
    provider,
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(redirectPort === undefined ? {} : { redirectPort }),
    ...(account.mock || provider === 'generic' ? givenEndpoints(read) : ownEndpoints(provider, read)),
  }
}

type Endpoints = Pick<OAuthClientSettings, 'issuer' | 'authorizationUrl' | 'tokenUrl'>

function ownEndpoints(provider: OAuthProvider, read: (name: string) => string | undefined): Endpoints {
  if (provider === 'google') return GOOGLE
  const tenant = read('TENANT') ?? 'common'
  if (!TENANT.test(tenant)) throw unusable('TENANT', 'must be a tenant id or domain')
  const base = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0`
  return { authorizationUrl: `${base}/authorize`, tokenUrl: `${base}/token` }
}

function givenEndpoints(read: (name: string) => string | undefined): Endpoints {
  const [issuer, authorizationUrl, tokenUrl] = ['ISSUER', 'AUTH_URL', 'TOKEN_URL'].map(read)
  if (issuer === undefined && (authorizationUrl === undefined || tokenUrl === undefined)) {
    const cure = `set ${PREFIX}ISSUER, or both ${PREFIX}AUTH_URL and ${PREFIX}TOKEN_URL`
    throw new Failure('invalid_input', `nothing says where the OAuth provider is: ${cure}`)
  }
  return {
    ...(issuer === undefined ? {} : { issuer }),
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  }
}

function portFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw unusable('REDIRECT_PORT', 'must be a whole number between 1 and 65535')
  return port
}

function unusable(name: string, why: string): Failure {
  return new Failure('invalid_input', `${PREFIX}${name} ${why}`)
}

function noClient(provider: OAuthProvider): Failure {
  const set = `set ${PREFIX}CLIENT_ID (and ${PREFIX}CLIENT_SECRET where the client has one)`
  return new Failure('invalid_input', `no OAuth client is set up: ${REGISTER[provider]}, then ${set}`)
}
