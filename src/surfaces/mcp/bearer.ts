/**
 * Who sends an HTTP request, told by its bearer token.
 *
 * INVARIANT: a request costs one digest, however many callers there are. What is compared is a digest under a key that only this
 * process knows, so how long the comparison takes tells nothing about a token. The client is never told why it was refused; the
 * audit log is.
 */
import { createHmac, randomBytes } from 'node:crypto'
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

interface HolderIndex {
  readonly of: readonly TokenHolder[]
  readonly byDigest: ReadonlyMap<string, TokenHolder>
  readonly ids: ReadonlySet<string>
}

/**
 * `holders` is asked for every request: who may come in can change while the server runs. It must answer with the same array
 * until it does, since an index is built for each array.
 */
export function authenticateByToken(
  holders: () => readonly TokenHolder[],
  onRefused: (reason: RefusalReason, credentials: Credentials) => Promise<void>,
  digest: (token: string) => string = keyedDigest(),
): Authenticate {
  let index: HolderIndex = indexOf([], digest)

  function judge({ authorization, callerId }: Credentials): TokenHolder | RefusalReason {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return 'no_bearer_token'
    const known = holders()
    if (known !== index.of) index = indexOf(known, digest)
    const holder = index.byDigest.get(digest(token))
    if (callerId !== undefined && !index.ids.has(callerId)) return 'unknown_caller_id'
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

function indexOf(of: readonly TokenHolder[], digest: (token: string) => string): HolderIndex {
  return {
    of,
    byDigest: new Map(of.map((holder) => [digest(holder.token), holder])),
    ids: new Set(of.map(({ id }) => id)),
  }
}

function keyedDigest(): (token: string) => string {
  const key = randomBytes(32)
  return (token) => createHmac('sha256', key).update(token).digest('base64')
}
