/**
 * Who sends an HTTP request, told by its bearer token.
 *
 * INVARIANT: every known token is compared, each in constant time, whatever the outcome; the client is never told why
 * it was refused, the record is.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Visitor } from './server.ts'

export interface Credentials {
  readonly authorization: string | undefined
  /** `X-MCP-Caller-Id`: need not be sent, but must not be wrong. */
  readonly callerId: string | undefined
  readonly address: string
}

export type Authentication = { readonly kind: 'visitor'; readonly visitor: Visitor } | { readonly kind: 'refused' }

export type Authenticate = (credentials: Credentials) => Promise<Authentication>

export interface TokenHolder {
  readonly id: string
  readonly token: string
  visit(address: string): Visitor
}

export type RefusalReason = 'no_bearer_token' | 'wrong_token' | 'unknown_caller_id' | 'identity_mismatch'

/** `holders` is asked for every request: who may come in can change while the server runs. */
export function authenticateByToken(
  holders: () => readonly TokenHolder[],
  onRefused: (reason: RefusalReason, credentials: Credentials) => Promise<void>,
): Authenticate {
  function judge({ authorization, callerId }: Credentials): TokenHolder | RefusalReason {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return 'no_bearer_token'
    const digest = sha256(token)
    const known = holders()
    const [holder] = known.filter((candidate) => timingSafeEqual(sha256(candidate.token), digest))
    if (callerId !== undefined && !known.some(({ id }) => id === callerId)) return 'unknown_caller_id'
    if (holder === undefined) return 'wrong_token'
    return callerId === undefined || callerId === holder.id ? holder : 'identity_mismatch'
  }

  return async (credentials) => {
    const judged = judge(credentials)
    if (typeof judged !== 'string') return { kind: 'visitor', visitor: judged.visit(credentials.address) }
    await onRefused(judged, credentials)
    return { kind: 'refused' }
  }
}

/** Digests have one length, so comparing them tells nothing about the length of a token. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
