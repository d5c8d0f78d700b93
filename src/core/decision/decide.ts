/**
 * Decides whether a caller may perform an action: first by account and folder, before anything is fetched, then by the
 * one message that is meant, once its facts are known.
 *
 * INVARIANT: default deny. An action is allowed only when every place it touches shows at least the level it needs
 * and grants every capability it needs; a policy that throws denies. Reasons are a closed list.
 */
import type { Action } from '../action.ts'
import { Failure } from '../failure.ts'
import type { Capability, FolderPolicy, Verdict, VerdictReason } from '../policy/folder.ts'
import { atLeast, type Level } from '../policy/level.ts'
import type { Policy } from '../policy/policy.ts'
import { forbiddenFlag } from './flags.ts'
import { type Needs, needsOf, type Place } from './needs.ts'

export type Reason =
  | VerdictReason
  | 'account_hidden'
  | 'folder_hidden'
  | 'capability_missing'
  | 'forbidden_system_flag'
  | 'visibility_would_rise'
  | 'oauth_scope_insufficient'
  | 'needs_rebootstrap'
  | 'tool_not_applicable_for_provider'
  | 'rate_limited'
  | 'sending_forbidden'
  | 'account_cannot_send'
  | `visibility_below_${Level}`

export interface Allowance {
  readonly kind: 'allow'
  readonly reason: VerdictReason
  /** The most this action may show. */
  readonly level: Level
  /** The most it may show of what it leaves somewhere else. */
  readonly targetLevel?: Level
}

export interface Denial {
  readonly kind: 'deny'
  readonly reason: Reason
  /** Where the reason is `account_hidden`: which one, as the caller wrote it. */
  readonly account?: string
  /** Where one message is the reason: its uid, as the caller wrote it. */
  readonly uid?: number
  readonly missing?: Capability
  /** Where it may be tried again: after so many milliseconds. */
  readonly waitMs?: number
  readonly remedy?: string
}

export type Decision = Allowance | Denial

/** `pathOf` gives a folder's path with `/` between its levels, whatever its server writes. */
export function decide(policy: Policy, action: Action, pathOf: (place: Place) => string): Decision {
  try {
    return judge(policy, action, needsOf(action), pathOf)
  } catch (error) {
    if (error instanceof Failure) throw error
    return { kind: 'deny', reason: 'account_hidden' }
  }
}

/** The account that the caller may not know of, if there is one among those that the action names. */
export function hiddenAccount(policy: Policy, { account, places }: Needs): Denial | undefined {
  const named = [...(account === undefined ? [] : [account]), ...places.map((place) => place.account)]
  const hidden = named.find((id) => !policy.sees(id))
  return hidden === undefined ? undefined : { kind: 'deny', reason: 'account_hidden', account: hidden }
}

function judge(policy: Policy, action: Action, needs: Needs, pathOf: (place: Place) => string): Decision {
  const hidden = hiddenAccount(policy, needs)
  if (hidden !== undefined) return hidden
  if (needs.sends === true && !policy.send.allowed) {
    return { kind: 'deny', reason: 'sending_forbidden', remedy: policy.howToAllow }
  }
  for (const place of needs.places) {
    const denial = deniedAt(policy, place, policy.folder(place.account, pathOf(place)))
    if (denial !== undefined) return denial
  }
  const change = action.kind === 'mark_many' ? action.change : action
  if (change.kind === 'tag_message' && change.tags.some(forbiddenFlag)) {
    return { kind: 'deny', reason: 'forbidden_system_flag' }
  }
  const [first] = needs.places
  const folder = first === undefined ? undefined : policy.folder(first.account, pathOf(first))
  return { kind: 'allow', reason: 'folder_default_applied', level: folder?.ceiling ?? 'FULL' }
}

function deniedAt(policy: Policy, place: Place, folder: FolderPolicy): Denial | undefined {
  if (!folder.named) return { kind: 'deny', reason: 'folder_hidden' }
  const missing = place.capabilities.find((capability) => !folder.capabilities.has(capability))
  if (missing !== undefined) return { kind: 'deny', reason: 'capability_missing', missing, remedy: policy.howToAllow }
  // With rules it is the message that decides, and only then is the reason known.
  if (place.message !== undefined && folder.uniform === undefined) return undefined
  if (atLeast(folder.ceiling, place.level)) return undefined
  return place.message === undefined ? below(place.level) : deniedFor(place, folder.uniform ?? NOTHING)
}

const NOTHING: Verdict = { level: 'NONE', reason: 'sender_not_whitelisted' }

/** What one message's level means for an action that needs more. */
export function deniedFor({ level: needed, message }: Place, { level, reason }: Verdict): Denial | undefined {
  if (atLeast(level, needed)) return undefined
  const denial: Denial = level === 'NONE' ? { kind: 'deny', reason } : below(needed)
  return message === undefined ? denial : { ...denial, uid: message.uid }
}

function below(level: Level): Denial {
  return { kind: 'deny', reason: `visibility_below_${level}` }
}
