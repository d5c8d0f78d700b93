/** What each caller may see and do, for the person who decides about it. */
import type { UncertainChoice } from '../../core/content.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import { describePolicy, describeRule } from '../../core/policy/in-words.ts'
import type { Level } from '../../core/policy/level.ts'
import type { Policy, PolicyDefinition } from '../../core/policy/policy.ts'
import type { SendDefinition } from '../../core/policy/sending.ts'
import type { Accounts } from '../accounts/accounts.ts'

/** A caller as the configuration of this moment has it. */
export interface KnownCaller {
  readonly id: string
  readonly toolsets: readonly string[]
  readonly policy: Policy
  /** What the policy was made of; absent for the owner's own. */
  readonly definition?: PolicyDefinition
  readonly send: Pick<SendDefinition, 'approval' | 'trusted'>
  readonly settings?: CallerSettings
}

/** What the configuration says of a caller beside its policy and its tool sets. */
export interface CallerSettings {
  readonly auth?: 'stdio_trusted' | 'shared_token'
  readonly limits?: { readonly perMinute?: number; readonly perHour?: number }
  readonly hideDeniedTools?: boolean
  readonly uncertain?: UncertainChoice
}

export interface CallerAccess {
  readonly id: string
  readonly policy: string
  readonly toolsets: readonly string[]
  readonly send: KnownCaller['send']
  readonly words: readonly string[]
  readonly accounts: readonly { readonly id: string; readonly folders: readonly FolderAccess[] }[]
}

export interface FolderAccess {
  readonly path: string
  readonly mode: FolderPolicy['mode']
  readonly default: Level
  readonly ceiling: Level
  readonly capabilities: readonly string[]
  readonly rules: readonly string[]
}

export function accessOf(callers: readonly KnownCaller[], accounts: Accounts): readonly CallerAccess[] {
  const ids = accounts.current.list().map(({ id }) => id)
  return callers.map(({ id, toolsets, policy, definition, send }) => ({
    id,
    policy: policy.name,
    toolsets,
    send: { approval: send.approval, trusted: send.trusted },
    words: definition === undefined ? [OWNER] : describePolicy(definition),
    accounts: ids
      .filter((account) => policy.sees(account))
      .map((account) => ({ id: account, folders: policy.folders(account).map(folderAccess) })),
  }))
}

const OWNER = 'Its accounts come from the environment: it sees everything in them.'

function folderAccess({ definition, path, mode, default: base, ceiling, capabilities }: FolderPolicy): FolderAccess {
  const rules = definition.rules.map((rule) => describeRule(mode, rule))
  return { path, mode, default: base, ceiling, capabilities: [...capabilities], rules }
}
