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
  readonly pendingLimit: PendingLimit
}

/** How much one caller may have in the outbox that was not sent yet: pending, or approved. */
export interface PendingLimit {
  readonly messages: number
  readonly bytes: number
}

/** Whether one more of that size may wait. One alone always may: it can be larger than several may be together. */
export function hasRoom(held: PendingLimit, size: number, limit: PendingLimit): boolean {
  return held.messages < limit.messages && (held.messages === 0 || held.bytes + size <= limit.bytes)
}

/** What a policy means that says nothing. */
export const SEND_DEFAULTS: SendDefinition = {
  approval: 'always',
  trusted: [],
  requireDigest: true,
  elicitation: 'notify',
  pendingLimit: { messages: 50, bytes: 20 * 1024 * 1024 },
}

export interface SendRules extends Pick<SendDefinition, 'requireDigest' | 'elicitation' | 'pendingLimit'> {
  readonly allowed: boolean
  readonly approval: 'always' | 'flow' | 'never'
  trusts(address: string): boolean
}

export const ASK_ALWAYS: SendRules = sendRules(SEND_DEFAULTS)

export const SENDING_FORBIDDEN: SendRules = { ...ASK_ALWAYS, allowed: false }

export function sendRules(definition: SendDefinition): SendRules {
  const { approval, trusted, requireDigest, elicitation, pendingLimit } = definition
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
    pendingLimit,
  }
}
