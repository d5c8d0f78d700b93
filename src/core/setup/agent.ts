/**
 * Which caller and which policy an account goes to, and whether anything may then be sent.
 *
 * INVARIANT: setting up one account never lets another one send that could not before, nor itself unless that was chosen.
 */
import { Failure } from '../failure.ts'
import type { AccountKind } from './servers.ts'

export interface KnownAccount {
  readonly id: string
  /** Its configuration says how, whatever policies say. */
  readonly canSend: boolean
}

export interface KnownCaller {
  readonly id: string
  readonly policy: string
  /** Whether its policy lets anything be sent. */
  readonly sends: boolean
  /** Those that its policy names. */
  readonly accounts: readonly string[]
}

export interface KnownAgents {
  readonly accounts: readonly KnownAccount[]
  readonly callers: readonly KnownCaller[]
  readonly policies: readonly string[]
}

export interface Agent {
  readonly caller: string
  readonly policy: string
  readonly sends: boolean
}

export const USUAL_CALLER = 'agent'

/** `wanted` is the caller that somebody named. */
export function agentFor(
  known: KnownAgents,
  wanted: string | undefined,
  account: { readonly id: string; readonly kind: AccountKind; readonly sends: boolean },
): Agent {
  const [only, ...others] = known.callers
  const caller = wanted ?? (only !== undefined && others.length === 0 ? only.id : USUAL_CALLER)
  const there = known.callers.find(({ id }) => id === caller)
  if (there === undefined) return { caller, policy: freeName(caller, known.policies), sends: account.sends }
  const beside = known.accounts.filter(({ id }) => id !== account.id && there.accounts.includes(id))
  const senders = beside.filter(({ canSend }) => canSend).map(({ id }) => id)
  if (account.sends && !there.sends && senders.length > 0) throw wouldSend(caller, senders)
  // Google's and Microsoft's accounts send by themselves: only a policy can hold them back.
  if (!account.sends && there.sends && senders.length > 0 && account.kind !== 'imap-standard') {
    throw couldSend(caller)
  }
  return { caller, policy: there.policy, sends: account.sends || (there.sends && senders.length > 0) }
}

function freeName(wish: string, taken: readonly string[]): string {
  let name = wish
  for (let number = 2; taken.includes(name); number += 1) name = `${wish}-${number}`
  return name
}

const OTHER = 'give this account to another agent with --caller NAME'

function wouldSend(caller: string, senders: readonly string[]): Failure {
  const whose = `"${caller}" may read ${senders.join(', ')} but not send from there`
  return new Failure('conflict', `the agent ${whose}; with sending here it could from there too; ${OTHER}`)
}

function couldSend(caller: string): Failure {
  const why = `the agent "${caller}" may send, and could from this account too, since its provider needs no more for that`
  return new Failure('conflict', `${why}; ${OTHER}`)
}
