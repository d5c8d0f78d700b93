/** Who calls here and what each may, as the console shows it. */
import { readPolicyText } from '../config/tree/policy-text.ts'
import type { Tree } from '../config/tree/tree.ts'
import { nothingAllowed, ownerPolicy, policyFrom } from '../core/policy/policy.ts'
import type { Household } from '../engine/console/desk.ts'

const DEFAULT_SETS = ['policy']
const ASKS_ALWAYS = { approval: 'always', trusted: [] } as const

/** `toolsets` where the command line names them for all. */
export function treeHousehold(tree: () => Tree, toolsets?: readonly string[]): Household {
  return {
    callers: () => {
      const { callers, policies } = tree()
      return callers.map(({ id, policy, toolsets: own }) => {
        const definition = policies.get(policy)
        return {
          id,
          toolsets: toolsets ?? own ?? DEFAULT_SETS,
          policy: definition === undefined ? nothingAllowed : policyFrom(definition),
          ...(definition !== undefined && { definition }),
          send: definition?.send ?? ASKS_ALWAYS,
        }
      })
    },
    readPolicy: (text) =>
      readPolicyText(
        text,
        tree().accounts.map(({ id }) => id),
      ),
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
