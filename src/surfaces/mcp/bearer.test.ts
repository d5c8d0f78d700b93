import { describe, expect, test } from 'vitest'
import { ownerPolicy } from '../../core/policy/policy.ts'
import {
  type Authenticate,
  authenticateByToken,
  type Credentials,
  type RefusalReason,
  type TokenHolder,
} from './bearer.ts'

const holder = (id: string, token: string): TokenHolder => ({
  id,
  token,
  visit: (address) => ({ caller: { id, address, policy: ownerPolicy(false) }, sets: [] }),
})

test.each<[string | undefined, string | undefined, string | RefusalReason]>([
  ['Bearer token-a', undefined, 'a'],
  ['bearer token-b', 'b', 'b'],
  [undefined, undefined, 'no_bearer_token'],
  [undefined, 'a', 'no_bearer_token'],
  ['Basic token-a', undefined, 'no_bearer_token'],
  ['Bearer ', undefined, 'no_bearer_token'],
  ['Bearer token-a token-b', undefined, 'no_bearer_token'],
  ['Bearer token-', undefined, 'wrong_token'],
  ['Bearer token-ab', 'a', 'wrong_token'],
  ['Bearer token-a', 'b', 'identity_mismatch'],
  ['Bearer token-a', 'c', 'unknown_caller_id'],
])('%s as %s is %s', async (authorization, callerId, expected) => {
  const reasons: RefusalReason[] = []
  const authenticate = authenticateByToken(
    () => [holder('a', 'token-a'), holder('b', 'token-b')],
    async (reason) => {
      reasons.push(reason)
    },
  )
  const answer = await authenticate({ authorization, callerId, address: '127.0.0.1' })
  if (answer.kind === 'refused') expect(reasons).toEqual([expected])
  else expect([answer.visitor.caller.id, answer.visitor.caller.address, reasons]).toEqual([expected, '127.0.0.1', []])
})

describe('however many callers there are', () => {
  const holders = (count: number): TokenHolder[] =>
    Array.from({ length: count }, (_, i) => holder(`caller-${i}`, `token-${i}`))

  function counting(known: () => readonly TokenHolder[]): { authenticate: Authenticate; digests: () => number } {
    let digests = 0
    const digest = (token: string): string => {
      digests += 1
      return `digest of ${token}`
    }
    return { authenticate: authenticateByToken(known, async () => undefined, digest), digests: () => digests }
  }
  const credentials = (token: string): Credentials => ({
    authorization: `Bearer ${token}`,
    callerId: undefined,
    address: '127.0.0.1',
  })

  test.each([1, 5000])('a request costs one digest, with %i callers', async (count) => {
    const all = holders(count)
    const { authenticate, digests } = counting(() => all)
    await authenticate(credentials('token-0'))
    const before = digests()
    for (const token of ['token-0', `token-${count - 1}`, 'wrong']) await authenticate(credentials(token))
    expect(digests() - before).toBe(3)
  })

  test('a token counts from the moment it is there, and no longer than it is', async () => {
    let all = holders(2)
    const { authenticate } = counting(() => all)
    expect(await authenticate(credentials('token-1'))).toMatchObject({ visitor: { caller: { id: 'caller-1' } } })
    all = [holder('other', 'token-1')]
    expect(await authenticate(credentials('token-1'))).toMatchObject({ visitor: { caller: { id: 'other' } } })
    all = []
    expect(await authenticate(credentials('token-1'))).toEqual({ kind: 'refused' })
  })
})
