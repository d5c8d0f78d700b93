/**
 * The provider as the library knows it: its addresses, our client, and how the client shows who it is.
 *
 * INVARIANT: addresses from settings count before those the provider describes; a description counts only from the issuer
 * itself, and is asked for once.
 */
import * as oauth from 'oauth4webapi'
import type { Tokens } from '../../ports/token-endpoint.ts'
import { requestOptions } from './ask.ts'
import { endpointFailure, unusableToken } from './failures.ts'
import { type OAuthSettings, safeUrl } from './settings.ts'

export interface Provider {
  readonly server: oauth.AuthorizationServer
  readonly tokenUrl: URL
  readonly client: oauth.Client
  readonly clientAuth: oauth.ClientAuth
}

export class ProviderDescription {
  readonly #settings: OAuthSettings
  #known: Promise<Provider> | undefined

  constructor(settings: OAuthSettings) {
    this.#settings = settings
  }

  /** A failure is not kept: the next one asks again. */
  get(): Promise<Provider> {
    this.#known ??= describe(this.#settings).catch((error: unknown) => {
      this.#known = undefined
      throw endpointFailure(error)
    })
    return this.#known
  }
}

async function describe(settings: OAuthSettings): Promise<Provider> {
  const { issuer, authorizationUrl, tokenUrl, clientId } = settings
  const described =
    issuer !== undefined && (authorizationUrl === undefined || tokenUrl === undefined)
      ? await discover(settings, safeUrl(issuer, 'issuer'))
      : undefined
  const authorization = safeUrl(authorizationUrl ?? described?.authorization_endpoint ?? '', 'authorization address')
  const token = safeUrl(tokenUrl ?? described?.token_endpoint ?? '', 'token address')
  const server: oauth.AuthorizationServer = {
    ...described,
    // The library wants one; where it is not known, nothing is checked against it.
    issuer: described?.issuer ?? issuer ?? token.origin,
    authorization_endpoint: authorization.href,
    token_endpoint: token.href,
  }
  return { server, tokenUrl: token, client: { client_id: clientId }, clientAuth: clientAuth(settings, described) }
}

async function discover(settings: OAuthSettings, issuer: URL): Promise<oauth.AuthorizationServer> {
  const ask = (algorithm: 'oidc' | 'oauth2'): Promise<Response> =>
    oauth.discoveryRequest(issuer, { ...requestOptions(settings, issuer), algorithm })
  const openid = await ask('oidc')
  const answer = openid.status === 404 ? await ask('oauth2') : openid
  return oauth.processDiscoveryResponse(issuer, answer)
}

function clientAuth({ clientSecret }: OAuthSettings, described?: oauth.AuthorizationServer): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None()
  const methods = described?.token_endpoint_auth_methods_supported ?? ['client_secret_post']
  return methods.includes('client_secret_post')
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret)
}

/** What a token may consist of. Anything else could end the line it is sent or kept in. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/

export function tokensFrom(answer: oauth.TokenEndpointResponse): Tokens {
  for (const token of [answer.access_token, answer.refresh_token]) {
    if (token !== undefined && !TOKEN.test(token)) throw unusableToken()
  }
  return {
    accessToken: answer.access_token,
    expiresInMs: answer.expires_in === undefined ? undefined : answer.expires_in * 1000,
    refreshToken: answer.refresh_token,
    scope: answer.scope,
  }
}
