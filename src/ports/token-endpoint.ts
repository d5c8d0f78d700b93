/**
 * Where access tokens come from.
 *
 * Promises: one call is one request, bounded in time and size. A grant that is gone for good (revoked, expired, used up)
 * is the answer `refused`; everything that may pass by itself is `Failure('unavailable')` or `timeout`; a client that is
 * set up wrongly is `Failure('auth_failed')`. Neither message nor cause ever holds a token or what the server said.
 */
export interface TokenEndpoint {
  refresh(refreshToken: string): Promise<RefreshAnswer>
}

export type RefreshAnswer = { readonly kind: 'granted'; readonly tokens: Tokens } | { readonly kind: 'refused' }

export interface Tokens {
  readonly accessToken: string
  /** How long it lasts; absent where the server does not say. */
  readonly expiresInMs: number | undefined
  /** A new one takes the place of the one that was sent, which may be void from now on. */
  readonly refreshToken: string | undefined
  /** What was granted; absent where it is what was asked for. */
  readonly scope: string | undefined
}
