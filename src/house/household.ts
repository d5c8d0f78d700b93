/** Who calls here and what each may, as the console shows it. */
import { readCallersText, readPolicyText } from '../config/tree/policy-text.ts'
import type { Tree, TreeCaller } from '../config/tree/tree.ts'
import { nothingAllowed, ownerPolicy, policyFrom } from '../core/policy/policy.ts'
import type { KnownCaller } from '../engine/console/access.ts'
import type { Household } from '../engine/console/desk.ts'

const DEFAULT_SETS = ['policy']
const ASKS_ALWAYS = { approval: 'always', trusted: [] } as const

/** `toolsets` where the command line names them for all. */
export function treeHousehold(tree: () => Tree, toolsets?: readonly string[]): Household {
  return {
    callers: () => {
      const { callers, policies } = tree()
      return callers.map((caller) => known(caller, policies, toolsets))
    },
    readCallers: (text) => {
      const { policies } = tree()
      const read = readCallersText(text, [...policies.keys()])
      if (read === undefined || 'problems' in read) return read
      return { callers: read.map((caller) => known(caller, policies, toolsets)) }
    },
    readPolicy: (text) =>
      readPolicyText(
        text,
        tree().accounts.map(({ id }) => id),
      ),
  }
}

function known(
  { id, policy, toolsets: own, auth, limits, hideDeniedTools, uncertain }: TreeCaller,
  policies: Tree['policies'],
  toolsets: readonly string[] | undefined,
): KnownCaller {
  const definition = policies.get(policy)
  return {
    id,
    toolsets: toolsets ?? own ?? DEFAULT_SETS,
    policy: definition === undefined ? nothingAllowed : policyFrom(definition),
    ...(definition !== undefined && { definition }),
    send: definition?.send ?? ASKS_ALWAYS,
    settings: { auth: auth.type, hideDeniedTools, uncertain, ...(limits !== undefined && { limits }) },
  }
}

export interface OwnerHousehold {
  readonly id: string
  readonly writes: boolean
  readonly toolsets: readonly string[]
  readonly accounts: readonly string[]
}

export function ownerHousehold({ id, writes, toolsets, accounts }: OwnerHousehold): Household {
  const send = writes ? ASKS_ALWAYS : ({ approval: 'forbidden', trusted: [] } as const)
  return {
    callers: () => [{ id, toolsets, policy: ownerPolicy(writes), send }],
    readPolicy: (text) => readPolicyText(text, accounts),
  }
}
