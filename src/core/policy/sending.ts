/**
 * What a policy says about letters that leave.
 *
 * INVARIANT: where it says nothing, a person is asked about every single one.
 */
import { domainIn, normalAddress } from './normal-form.ts'

export interface SendDefinition {
  /** `never`: nobody is asked about anything. `flow`: not where everybody who gets it could read all of it anyway. */
  readonly approval: 'always' | 'flow' | 'never' | 'forbidden'
  /** Whom anything may be written to under `flow`: addresses, or whole domains as `@example.com`. */
  readonly trusted: readonly string[]
  /** Whether only approvals count that are bound to the very letter. */
  readonly requireDigest: boolean
  /** Whether an answer that comes back through the agent's own program is a person's word. */
  readonly elicitation: 'notify' | 'sufficient'
}

export interface SendRules extends Pick<SendDefinition, 'requireDigest' | 'elicitation'> {
  readonly allowed: boolean
  readonly approval: 'always' | 'flow' | 'never'
  trusts(address: string): boolean
}

export const ASK_ALWAYS: SendRules = sendRules({
  approval: 'always',
  trusted: [],
  requireDigest: false,
  elicitation: 'notify',
})

export const SENDING_FORBIDDEN: SendRules = { ...ASK_ALWAYS, allowed: false }

export function sendRules({ approval, trusted, requireDigest, elicitation }: SendDefinition): SendRules {
  const people = new Set(trusted.filter((entry) => !entry.startsWith('@')).map(normalAddress))
  const domains = new Set(
    trusted.filter((entry) => entry.startsWith('@')).map((entry) => domainIn(normalAddress(`x${entry}`))),
  )
  return {
    allowed: approval !== 'forbidden',
    approval: approval === 'forbidden' ? 'always' : approval,
    trusts(address) {
      const normal = normalAddress(address)
      return people.has(normal) || domains.has(domainIn(normal))
    },
    requireDigest,
    elicitation,
  }
}
