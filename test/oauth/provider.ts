/**
 * An OAuth provider on loopback that can be as strict, as slow and as hostile as a test wants it. Codes are bound to PKCE,
 * and with `rotate` a refresh token is good once: used again, everything that came from it is void.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ProviderManner {
  expiresIn?: number | undefined
  rotate?: boolean
  /** What the grant is for, where it is not what was asked for. */
  grantedScope?: string
  /** Puts other words into what the browser brings back. */
  tamper?: (answer: URLSearchParams) => void
  /** Instead of answering at the token endpoint. */
  fault?:
    | 'none'
    | '500'
    | '503-html'
    | '429'
    | 'hang'
    | 'cut'
    | 'garbage'
    | 'huge'
    | 'redirect'
    | 'invalid_client'
    | 'echo'
  /** Announces that answers name their issuer. */
  announceIssuer?: boolean
  withoutRefreshToken?: boolean
  idToken?: string
}

export interface Provider {
  readonly url: string
  readonly manner: ProviderManner
  /** How often the token endpoint was asked, by grant type. */
  asked(grant: 'refresh_token' | 'authorization_code'): number
  /** A refresh token as if somebody had granted access. */
  grant(user: string, scope?: string): string
  /** The person takes it all back. */
  revokeAll(): void
  /** Only access tokens; the grant stays. */
  voidAccessTokens(): void
  /** Every secret ever given out, for those who look where they must not be. */
  secrets(): readonly string[]
  close(): Promise<void>
}

interface Grant {
  readonly user: string
  readonly scope: string
  alive: boolean
}

interface Code {
  readonly challenge: string
  readonly redirectUri: string
  readonly scope: string
}

export async function startProvider(manner: ProviderManner = {}, user = 'ada'): Promise<Provider> {
  const state = new ProviderState(manner, user)
  const server = createServer((request, response) => {
    void state.answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  state.url = `http://127.0.0.1:${port}`
  return {
    url: state.url,
    manner,
    asked: (grant) => state.asked.filter((kind) => kind === grant).length,
    grant: (owner, scope = 'mail') => state.newRefreshToken({ user: owner, scope, alive: true }),
    revokeAll: () => {
      for (const grant of [...state.refreshTokens.values(), ...state.accessTokens.values()]) grant.alive = false
    },
    voidAccessTokens: () => state.accessTokens.clear(),
    secrets: () => state.secrets,
    close: async () => {
      const gone = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await gone
    },
  }
}

class ProviderState {
  url = ''
  readonly asked: string[] = []
  readonly secrets: string[] = []
  readonly refreshTokens = new Map<string, Grant>()
  readonly accessTokens = new Map<string, Grant>()
  readonly #spent = new Map<string, Grant>()
  readonly #codes = new Map<string, Code>()
  readonly #manner: ProviderManner
  readonly #user: string

  constructor(manner: ProviderManner, user: string) {
    this.#manner = manner
    this.#user = user
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url)
    const body = new URLSearchParams(await text(request))
    if (pathname === '/.well-known/openid-configuration') json(response, 200, this.#description())
    else if (pathname === '/authorize') this.#authorize(searchParams, response)
    else if (pathname === '/introspect') json(response, 200, this.#introspect(body))
    else if (pathname === '/token') this.#token(body, response)
    else json(response, 404, {})
  }

  #description(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      code_challenge_methods_supported: ['S256'],
      ...(this.#manner.announceIssuer ? { authorization_response_iss_parameter_supported: true } : {}),
    }
  }

  /** A person who always says yes. */
  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    if (asked.get('code_challenge_method') !== 'S256' || asked.get('response_type') !== 'code') {
      json(response, 400, { error: 'invalid_request' })
      return
    }
    const [code, redirectUri] = [this.#secret('code'), asked.get('redirect_uri') ?? '']
    const challenge = asked.get('code_challenge') ?? ''
    this.#codes.set(code, { challenge, redirectUri, scope: asked.get('scope') ?? '' })
    const answer = new URLSearchParams({ code, state: asked.get('state') ?? '' })
    if (this.#manner.announceIssuer) answer.set('iss', this.url)
    this.#manner.tamper?.(answer)
    response.writeHead(302, { Location: `${redirectUri}?${answer}` }).end()
  }

  #token(body: URLSearchParams, response: ServerResponse): void {
    this.asked.push(body.get('grant_type') ?? '')
    if (this.#misbehave(body, response)) return
    const grant =
      body.get('grant_type') === 'authorization_code' ? this.#redeem(body) : this.#use(body.get('refresh_token') ?? '')
    if (grant === undefined) {
      json(response, 400, { error: 'invalid_grant', error_description: String(body) })
      return
    }
    const rotated = body.get('grant_type') === 'authorization_code' || this.#manner.rotate
    const { expiresIn = 3600, withoutRefreshToken, grantedScope, idToken } = this.#manner
    json(response, 200, {
      access_token: this.#newAccessToken(grant),
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: grantedScope ?? grant.scope,
      ...(rotated && !withoutRefreshToken ? { refresh_token: this.newRefreshToken(grant) } : {}),
      ...(idToken === undefined ? {} : { id_token: idToken }),
    })
  }

  #redeem(body: URLSearchParams): Grant | undefined {
    const code = body.get('code') ?? ''
    const known = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (known?.challenge !== challenge || known.redirectUri !== body.get('redirect_uri')) return undefined
    return { user: this.#user, scope: known.scope, alive: true }
  }

  #use(token: string): Grant | undefined {
    const spent = this.#spent.get(token)
    // Somebody has a copy: nothing that came of it is trusted any more.
    if (spent !== undefined) spent.alive = false
    const grant = this.refreshTokens.get(token)
    if (grant === undefined || !grant.alive) return undefined
    if (this.#manner.rotate) {
      this.refreshTokens.delete(token)
      this.#spent.set(token, grant)
    }
    return grant
  }

  newRefreshToken(grant: Grant): string {
    const token = this.#secret('refresh')
    this.refreshTokens.set(token, grant)
    return token
  }

  #newAccessToken(grant: Grant): string {
    const token = this.#secret('access')
    this.accessTokens.set(token, grant)
    return token
  }

  #introspect(body: URLSearchParams): object {
    const grant = this.accessTokens.get(body.get('token') ?? '')
    return grant?.alive === true ? { active: true, username: grant.user, scope: grant.scope } : { active: false }
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomBytes(18).toString('base64url')}`
    this.secrets.push(secret)
    return secret
  }

  /** True where nothing more is to be said. */
  #misbehave(body: URLSearchParams, response: ServerResponse): boolean {
    const faults: Record<string, () => void> = {
      '500': () => json(response, 500, { error: 'server_error' }),
      '503-html': () => void response.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>busy</h1>'),
      '429': () => json(response, 429, { error: 'slow_down' }),
      hang: () => undefined,
      cut: () => void response.destroy(),
      garbage: () => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"access_token":'),
      huge: () => json(response, 200, { access_token: 'x', token_type: 'Bearer', padding: ' '.repeat(10_000_000) }),
      redirect: () => void response.writeHead(302, { Location: `${this.url}/elsewhere` }).end(),
      invalid_client: () => json(response, 401, { error: 'invalid_client' }),
      // Gives back all it was sent, as a broken or hostile one may.
      echo: () => json(response, 400, { error: `bad ${body}`, error_description: String(body) }),
    }
    const fault = faults[this.#manner.fault ?? 'none']
    fault?.()
    return fault !== undefined
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
