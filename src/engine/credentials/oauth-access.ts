/**
 * Access by OAuth 2: short-lived tokens, made from the refresh token that `postern oauth` has put into the secret store.
 *
 * INVARIANT: one refresh at a time for an account, over all processes. A refresh under way is never broken off, whoever
 * gives up waiting: its answer may hold the only copy of the next refresh token. Only a clear no of the provider, or of
 * the mailbox's server to a token made a moment ago, puts the account aside; whatever may pass by itself does not, nor does
 * a no of the sending server, which may have reasons of its own.
 */
import { Failure } from '../../core/failure.ts'
import type { Access, Credentials, Standing } from '../../ports/access.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { TokenEndpoint, Tokens } from '../../ports/token-endpoint.ts'
import { givenUp, isNotFound, needsRebootstrap } from './failures.ts'
import { fingerprint } from './fingerprint.ts'
import { type GrantParts, judge, noteGrant, noteRefusal } from './grant.ts'
import { type AccessToken, keep, readKept } from './kept-token.ts'
import { RefreshToken } from './refresh-token.ts'
import { scopeMayWrite } from './scopes.ts'

export interface OAuthAccessParts extends GrantParts {
  readonly tokenCache: 'memory_only' | 'persist_all'
  readonly endpoint: TokenEndpoint
  readonly clock: Clock
  readonly log: Log
  /** For the record. Awaited: a token that cannot be recorded is not used. */
  onRefresh(account: string, outcome: RefreshOutcome): Promise<void>
}

export type RefreshOutcome =
  | { readonly kind: 'refreshed'; readonly rotated: boolean }
  /** The grant is gone; the account needs a person. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly code: Failure['code'] }

/** A token is replaced so long before its end, or at nine tenths of a shorter life. */
const AHEAD_MS = 300_000
const AHEAD_SHARE = 0.1
/** What a token lasts whose server does not say. */
const UNSAID_MS = 300_000
/** Refused so soon, and right after another one was, it is not the token's age. */
const FRESH_MS = 120_000
/** The one in use, one that another process has put there, and one more. */
const MOST_TRIES = 3

type RefusedBy = 'mailbox' | 'sending'

interface Held extends AccessToken {
  /** The servers that had refused the one before. */
  readonly afterRefusalBy: ReadonlySet<RefusedBy>
}

export function createOAuthAccess(parts: OAuthAccessParts): Access {
  return new OAuthAccess(parts)
}

class OAuthAccess implements Access {
  readonly #parts: OAuthAccessParts
  readonly #refreshToken: RefreshToken
  #held: Held | undefined
  #underWay: Promise<Held> | undefined
  #lastRefused: string | undefined
  #refusedBy: ReadonlySet<RefusedBy> = new Set()
  #standing: Standing | undefined

  constructor(parts: OAuthAccessParts) {
    this.#parts = parts
    this.#refreshToken = new RefreshToken(parts)
  }

  async credentials(signal: AbortSignal): Promise<Credentials> {
    if (signal.aborted) throw givenUp(signal)
    if (this.#held === undefined || this.#isOld(this.#held)) await this.#renewed(signal)
    if (this.#held === undefined) throw new Failure('unavailable', 'the mail server has just refused this access')
    return { kind: 'token', accessToken: this.#held.accessToken }
  }

  async standing(): Promise<Standing> {
    if (this.#standing?.state === 'active') return this.#standing
    try {
      const { kind, mayWrite } = await judge(this.#parts)
      this.#standing = { state: kind === 'stands' ? 'active' : 'needs_rebootstrap', mayWrite }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      // Whoever wants to log in will be told.
      return this.#standing ?? { state: 'active', mayWrite: scopeMayWrite(this.#parts.scope) }
    }
    return this.#standing
  }

  async refused(credentials: Credentials, by: RefusedBy = 'mailbox'): Promise<void> {
    const held = this.#held
    // Several connections with one token: the first refusal has taken it away.
    if (credentials.kind !== 'token' || held?.accessToken !== credentials.accessToken) return
    const { clock, notes, account, log } = this.#parts
    const isFresh = held.afterRefusalBy.has(by) && clock.now() - held.obtainedAt <= FRESH_MS
    // It is not the token's age: the mailbox's server may well take it.
    if (isFresh && by === 'sending') return
    this.#held = undefined
    this.#lastRefused = held.accessToken
    this.#refusedBy = new Set([...this.#refusedBy, by])
    if (!isFresh) return
    this.#standing = undefined
    try {
      await notes.alone(account, async () => {
        await noteRefusal(this.#parts, 'refused_by_server', await fingerprint(await this.#refreshToken.stored()))
      })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      log.warn({ account, code: error.code }, 'that the mail server refused an account cannot be noted')
    }
  }

  async #renewed(signal: AbortSignal): Promise<void> {
    this.#underWay ??= this.#renew().finally(() => {
      this.#underWay = undefined
    })
    try {
      await orGivenUp(this.#underWay, signal)
    } catch (error) {
      // It was asked for ahead of time: while the old one lasts, a provider that is away disturbs nobody.
      const { now } = this.#parts.clock
      if (error instanceof Failure && error.retryable && !signal.aborted && now() < (this.#held?.expiresAt ?? 0)) return
      throw error
    }
  }

  #renew(): Promise<Held> {
    const { notes, account, secrets } = this.#parts
    return notes.alone(account, async () => {
      const judgement = await judge(this.#parts)
      if (judgement.kind === 'anew') {
        this.#standing = { state: 'needs_rebootstrap', mayWrite: judgement.mayWrite }
        throw needsRebootstrap(account, judgement.why, secrets.writable)
      }
      this.#standing = { state: 'active', mayWrite: judgement.mayWrite }
      const held = (await this.#kept()) ?? (await this.#refresh(judgement.note))
      this.#held = held
      return held
    })
  }

  async #kept(): Promise<Held | undefined> {
    if (this.#parts.tokenCache !== 'persist_all') return undefined
    const kept = await readKept(this.#parts, await this.#currentToken())
    if (kept === undefined || kept.accessToken === this.#lastRefused || this.#isOld(kept)) return undefined
    return { ...kept, afterRefusalBy: this.#refusedBy }
  }

  async #refresh(note: Parameters<typeof noteGrant>[1]): Promise<Held> {
    const { account, scope, onRefresh, tokenCache } = this.#parts
    const { tokens, used } = await this.#granted()
    const rotated = tokens.refreshToken !== undefined && tokens.refreshToken !== used
    if (tokens.refreshToken !== undefined) await this.#refreshToken.replace(used, tokens.refreshToken)
    await noteGrant(this.#parts, note, tokens)
    const mayWrite = scopeMayWrite(scope) && scopeMayWrite(tokens.scope ?? note?.granted ?? '')
    this.#standing = { state: 'active', mayWrite }
    await onRefresh(account, { kind: 'refreshed', rotated })
    const held = this.#heldFrom(tokens)
    if (tokenCache === 'persist_all') await keep(this.#parts, held, tokens.refreshToken ?? used)
    this.#lastRefused = undefined
    this.#refusedBy = new Set()
    return held
  }

  /** Another process may have replaced the token between our reading it and our using it: then the new one is tried. */
  async #granted(): Promise<{ readonly tokens: Tokens; readonly used: string }> {
    const { account, secrets, endpoint, onRefresh } = this.#parts
    let refused: string | undefined
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const used = await this.#currentToken()
      if (used === refused) break
      const answer = await endpoint.refresh(used).catch(async (error: unknown) => {
        if (error instanceof Failure) await onRefresh(account, { kind: 'failed', code: error.code })
        throw error
      })
      if (answer.kind === 'granted') return { tokens: answer.tokens, used }
      refused = used
      this.#refreshToken.forgetNewer()
    }
    await noteRefusal(this.#parts, 'invalid_grant', await fingerprint(await this.#currentToken()))
    this.#held = undefined
    this.#standing = undefined
    await onRefresh(account, { kind: 'refused' })
    throw needsRebootstrap(account, 'invalid_grant', secrets.writable)
  }

  #currentToken(): Promise<string> {
    const { account, secrets } = this.#parts
    return this.#refreshToken.current().catch((error: unknown) => {
      throw isNotFound(error) ? needsRebootstrap(account, 'not_granted', secrets.writable) : error
    })
  }

  #heldFrom({ accessToken, expiresInMs = UNSAID_MS }: Tokens): Held {
    const obtainedAt = this.#parts.clock.now()
    return { accessToken, obtainedAt, expiresAt: obtainedAt + expiresInMs, afterRefusalBy: this.#refusedBy }
  }

  #isOld({ obtainedAt, expiresAt }: AccessToken): boolean {
    const ahead = Math.min(AHEAD_MS, (expiresAt - obtainedAt) * AHEAD_SHARE)
    return this.#parts.clock.now() >= expiresAt - ahead
  }
}

async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(givenUp(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
