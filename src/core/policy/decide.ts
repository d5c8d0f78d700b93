/**
 * Decides whether a caller may perform an action, before anything is fetched.
 *
 * INVARIANT: default deny. An action is allowed only when every place it touches shows at least the level it needs
 * and grants every capability it needs; a policy that throws denies.
 */
import type { Action, ActionKind, ActionOf } from '../action.ts'
import { atLeast, type Level } from './level.ts'
import type { Capability, Policy } from './policy.ts'

export type Reason =
  | 'folder_default_applied'
  | 'account_hidden'
  | 'folder_hidden'
  | 'capability_missing'
  | 'rate_limited'
  | `visibility_below_${Level}`

export interface Allowance {
  readonly kind: 'allow'
  readonly reason: Reason
  /** The most this action may show. */
  readonly level: Level
}

export interface Denial {
  readonly kind: 'deny'
  readonly reason: Reason
  /** Where the reason is `account_hidden`: which one, as the caller wrote it. */
  readonly account?: string
  readonly missing?: Capability
  readonly remedy?: string
}

export type Decision = Allowance | Denial

interface Place {
  readonly account: string
  readonly mailbox: string
  readonly level: Level
  readonly capabilities: readonly Capability[]
}

type Needs = { readonly account?: string; readonly places: readonly Place[] }

const NEEDS: { [K in ActionKind]: (action: ActionOf<K>) => Needs } = {
  list_accounts: () => ({ places: [] }),
  verify_account: ({ account }) => ({ account, places: [] }),
  list_mailboxes: ({ account }) => ({ account, places: [] }),
  search: ({ account, mailbox }) => ({ places: [{ account, mailbox, level: 'METADATA', capabilities: [] }] }),
  read_message: ({ message }) => ({ places: [{ ...message, level: 'ENVELOPE', capabilities: [] }] }),
  read_raw: ({ message }) => ({ places: [{ ...message, level: 'FULL', capabilities: [] }] }),
  read_attachment: ({ message }) => ({ places: [{ ...message, level: 'FULL', capabilities: [] }] }),
  update_flags: (action) => ({
    places: [{ ...action.message, level: 'COUNT', capabilities: flagCapabilities(action) }],
  }),
  copy_message: ({ message, to }) => ({
    places: [
      { ...message, level: 'COUNT', capabilities: [] },
      { ...to, level: 'NONE', capabilities: ['accept_incoming'] },
    ],
  }),
  move_message: ({ message, to }) => ({
    places: [
      { ...message, level: 'COUNT', capabilities: ['move_out'] },
      { ...to, level: 'NONE', capabilities: ['accept_incoming'] },
    ],
  }),
  delete_message: ({ message }) => ({ places: [{ ...message, level: 'COUNT', capabilities: ['delete'] }] }),
}

export function decide(policy: Policy, action: Action): Decision {
  const needs = (NEEDS[action.kind] as (action: Action) => Needs)(action)
  try {
    return judge(policy, needs)
  } catch {
    return { kind: 'deny', reason: 'account_hidden' }
  }
}

/** Whether an action changes a mailbox: then its intent is on record before it happens. */
export function changesMail(action: Action): boolean {
  const { places } = (NEEDS[action.kind] as (action: Action) => Needs)(action)
  return places.some((place) => place.capabilities.length > 0)
}

function judge(policy: Policy, { account, places }: Needs): Decision {
  const accounts = [...(account === undefined ? [] : [account]), ...places.map((place) => place.account)]
  const unseen = accounts.find((id) => !policy.sees(id))
  if (unseen !== undefined) return { kind: 'deny', reason: 'account_hidden', account: unseen }
  let level: Level = 'FULL'
  for (const place of places) {
    const folder = policy.folder(place.account, place.mailbox)
    const missing = place.capabilities.find((capability) => !folder.capabilities.has(capability))
    if (missing !== undefined) return { kind: 'deny', reason: 'capability_missing', missing, remedy: policy.howToAllow }
    if (!atLeast(folder.ceiling, place.level)) {
      return { kind: 'deny', reason: folder.ceiling === 'NONE' ? 'folder_hidden' : `visibility_below_${place.level}` }
    }
    if (place.level !== 'NONE' && !atLeast(folder.ceiling, level)) level = folder.ceiling
  }
  return { kind: 'allow', reason: 'folder_default_applied', level }
}

function flagCapabilities({ add, remove }: ActionOf<'update_flags'>): Capability[] {
  const flags = [...add, ...remove].map((flag) => flag.toLowerCase())
  const needed = new Set<Capability>()
  for (const flag of flags) {
    needed.add(flag === '\\seen' ? 'mark_seen' : flag === '\\deleted' ? 'delete' : 'mark_tagged')
  }
  return [...needed]
}
