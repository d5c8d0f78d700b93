import { expect, test } from 'vitest'
import { ownerPolicy } from '../../core/policy/policy.ts'
import { authenticateByToken, type RefusalReason, type TokenHolder } from './bearer.ts'

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
