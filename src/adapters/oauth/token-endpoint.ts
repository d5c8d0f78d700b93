/** Asks the provider for access tokens. */
import * as oauth from 'oauth4webapi'
import type { RefreshAnswer, TokenEndpoint } from '../../ports/token-endpoint.ts'
import { requestOptions } from './ask.ts'
import { endpointFailure, isOver } from './failures.ts'
import { ProviderDescription, tokensFrom } from './provider.ts'
import type { OAuthSettings } from './settings.ts'

export function createTokenEndpoint(settings: OAuthSettings): TokenEndpoint {
  const description = new ProviderDescription(settings)

  async function refresh(refreshToken: string): Promise<RefreshAnswer> {
    const { server, client, clientAuth, tokenUrl } = await description.get()
    const options = requestOptions(settings, tokenUrl)
    const response = await oauth.refreshTokenGrantRequest(server, client, clientAuth, refreshToken, options)
    return { kind: 'granted', tokens: tokensFrom(await oauth.processRefreshTokenResponse(server, client, response)) }
  }

  return {
    refresh: (refreshToken) =>
      refresh(refreshToken).catch((error: unknown) => {
        if (isOver(error)) return { kind: 'refused' }
        throw endpointFailure(error)
      }),
  }
}
