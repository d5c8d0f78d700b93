/**
 * The authorization code flow for installed programs (RFC 8252) with PKCE.
 *
 * INVARIANT: always S256. The code verifier never leaves this process but to the token endpoint. An answer is used once,
 * and only if its state is ours and, where it names an issuer or the provider promised to, the issuer is the one we asked.
 */
import { randomInt } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import type { Authorization, AuthorizationRequest, PendingAuthorization } from '../../ports/authorization.ts'
import type { Tokens } from '../../ports/token-endpoint.ts'
import { requestOptions } from './ask.ts'
import { type Callback, listenForCallback, sameState } from './callback.ts'
import { endpointFailure, notOurAnswer, refusedInBrowser, wrongIssuer } from './failures.ts'
import { type Provider, ProviderDescription, tokensFrom } from './provider.ts'
import type { OAuthSettings } from './settings.ts'

/** Microsoft takes any port only at `http://localhost`, which is then the whole address. */
const PLACES = {
  google: { host: '127.0.0.1', path: '/callback' },
  generic: { host: '127.0.0.1', path: '/callback' },
  microsoft: { host: 'localhost', path: '/' },
} as const
/** Without these Google gives a refresh token the first time only. */
const GOOGLE_EXTRAS = { access_type: 'offline', prompt: 'consent' }
/** A code or an address; more than that was not copied from a browser. */
const MOST_PASTED = 16_384
const EPHEMERAL = { from: 49_152, to: 65_536 }

export function createAuthorization(settings: OAuthSettings): Authorization {
  const description = new ProviderDescription(settings)
  return {
    async begin(request, signal) {
      const provider = await description.get()
      const place = { ...PLACES[settings.provider], port: settings.redirectPort ?? 0 }
      const callback = request.paste ? nobodyListens(place) : await listenForCallback(place)
      const secrets = { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier() }
      const challenge = await oauth.calculatePKCECodeChallenge(secrets.verifier)
      const url = authorizationUrl(provider, settings, request, { ...secrets, challenge, ...callback })
      return new Pending(url, { settings, provider, callback, signal, ...secrets })
    },
  }
}

function authorizationUrl(
  { server, client }: Provider,
  { provider }: OAuthSettings,
  { scope, loginHint }: AuthorizationRequest,
  flow: { readonly state: string; readonly challenge: string; readonly redirectUri: string },
): string {
  const url = new URL(server.authorization_endpoint ?? '')
  const parameters = {
    client_id: client.client_id,
    redirect_uri: flow.redirectUri,
    response_type: 'code',
    ...(scope === '' ? {} : { scope }),
    state: flow.state,
    code_challenge: flow.challenge,
    code_challenge_method: 'S256',
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    ...(provider === 'google' ? GOOGLE_EXTRAS : {}),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** The browser will find nothing there, and its address line shows what to paste. */
function nobodyListens({ host, path, port }: { host: string; path: string; port: number }): Callback {
  const anyPort = randomInt(EPHEMERAL.from, EPHEMERAL.to)
  return {
    redirectUri: `http://${host}:${port === 0 ? anyPort : port}${path}`,
    answer: () => Promise.reject(new Error('nobody listens')),
    close: async () => undefined,
  }
}

interface Flow {
  readonly settings: OAuthSettings
  readonly provider: Provider
  readonly callback: Callback
  readonly signal: AbortSignal
  readonly state: string
  readonly verifier: string
}

class Pending implements PendingAuthorization {
  readonly url: string
  readonly #flow: Flow
  #used = false

  constructor(url: string, flow: Flow) {
    this.url = url
    this.#flow = flow
  }

  async returned(): Promise<Tokens> {
    const { callback, state, signal } = this.#flow
    return this.#exchange(await callback.answer(state, signal))
  }

  async redeem(pasted: string): Promise<Tokens> {
    return this.#exchange(this.#answerIn(pasted.trim()))
  }

  close(): Promise<void> {
    return this.#flow.callback.close()
  }

  /** A bare code says nothing of the state; PKCE still binds it to this very request. */
  #answerIn(text: string): URLSearchParams {
    if (text === '' || text.length > MOST_PASTED) throw notOurAnswer()
    if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text).searchParams
    if (/^\??(code|state|error|iss)=/.test(text)) return new URLSearchParams(text)
    if (!/^[\x21-\x7e]+$/.test(text)) throw notOurAnswer()
    const { state, provider } = this.#flow
    const iss = provider.server.authorization_response_iss_parameter_supported
      ? { iss: provider.server.issuer }
      : undefined
    return new URLSearchParams({ code: text, state, ...iss })
  }

  async #exchange(answer: URLSearchParams): Promise<Tokens> {
    if (this.#used) throw notOurAnswer()
    this.#used = true
    const { settings, provider, callback, signal, state, verifier } = this.#flow
    const { server, client, clientAuth, tokenUrl } = provider
    const checked = checkAnswer(answer, state, settings, provider)
    try {
      const options = requestOptions(settings, tokenUrl, signal)
      const response = await oauth.authorizationCodeGrantRequest(
        ...([server, client, clientAuth, checked, callback.redirectUri, verifier, options] as const),
      )
      return tokensFrom(await oauth.processAuthorizationCodeResponse(server, client, response))
    } catch (error) {
      throw endpointFailure(signal.aborted ? signal.reason : error)
    }
  }
}

/** The library's own check comes last: it marks what may be exchanged. */
function checkAnswer(
  answer: URLSearchParams,
  state: string,
  settings: OAuthSettings,
  { server, client }: Provider,
): URLSearchParams {
  const names = ['state', 'code', 'error', 'iss']
  if (names.some((name) => answer.getAll(name).length > 1)) throw notOurAnswer()
  if (!sameState(answer.get('state'), state)) throw notOurAnswer()
  checkIssuer(answer.get('iss'), settings, server)
  const error = answer.get('error')
  if (error !== null) throw refusedInBrowser(error)
  const code = answer.get('code')
  if (code === null || code === '') throw notOurAnswer()
  const { authorization_response_iss_parameter_supported: _, ...unpromising } = server
  return oauth.validateAuthResponse(unpromising, client, new URLSearchParams({ code, state }), state)
}

/** RFC 9207. Where only addresses are configured, there is nothing to compare a name with. */
function checkIssuer(
  given: string | null,
  { issuer, provider }: OAuthSettings,
  server: oauth.AuthorizationServer,
): void {
  if (given === null) {
    if (server.authorization_response_iss_parameter_supported === true) throw wrongIssuer()
    return
  }
  // Microsoft's issuer names the tenant of whoever logged in.
  if (provider === 'microsoft' && issuer === undefined) {
    if (!given.startsWith(`${new URL(server.token_endpoint ?? '').origin}/`)) throw wrongIssuer()
    return
  }
  if (issuer !== undefined && given !== server.issuer) throw wrongIssuer()
}
