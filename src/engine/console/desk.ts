/** Everything that the console shows and does, behind one door. */
import type { PolicyDefinition } from '../../core/policy/policy.ts'
import type { Changes } from '../../ports/changes.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PageFiles } from '../../ports/page-files.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { accessOf, type CallerAccess, type KnownCaller } from './access.ts'
import type { AccountStates } from './account-states.ts'
import type { Activity } from './activity.ts'
import type { Letters } from './letters.ts'
import type { Lock } from './lock.ts'
import { type DiffAsked, type PolicyDiff, policyDiff } from './policy-diff.ts'
import { type MessageAsked, type Simulation, simulate } from './simulate.ts'
import type { TransferStates } from './transfer-states.ts'

export interface ConsoleDesk {
  readonly about: About
  readonly lock: Lock
  readonly letters: Letters
  readonly activity: Activity
  readonly access: Access
  readonly accounts: AccountStates
  readonly transfers: TransferStates
  readonly changes: Changes
  readonly files: PageFiles
}

export interface About {
  readonly version: string
  /** Whether nothing may leave: letters are only noted. */
  readonly devMode: boolean
  /** The machine's name. */
  readonly host: string
  /** What a person types to start this program. */
  readonly program: string
  /** The same for whoever is not signed in: no path of this machine stands in it. */
  readonly programForStrangers: string
}

export interface Access {
  list(): readonly CallerAccess[]
  simulate(asked: MessageAsked, signal: AbortSignal): Promise<Simulation>
  /** What the text of a policy file, or of callers.yaml, would change; never applied. */
  diff(text: string, caller: string | undefined, signal: AbortSignal): Promise<DiffAnswer>
}

export type DiffAnswer = PolicyDiff & { readonly problems: readonly PolicyProblem[] }

export interface PolicyProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** What the configuration of the moment says. */
export interface Household {
  callers(): readonly KnownCaller[]
  /** The policy that a text says, or what is wrong with it. */
  readPolicy(text: string): PolicyDefinition | readonly PolicyProblem[]
  /** The callers that a text says, or what is wrong with it; undefined where it is no list of callers. */
  readCallers?(text: string): CallersRead | undefined
}

export type CallersRead = { readonly callers: readonly KnownCaller[] } | { readonly problems: readonly PolicyProblem[] }

export function createAccess(household: Household, accounts: Accounts, clock: Clock): Access {
  const nowSeconds = (): number => Math.floor(clock.now() / 1000)
  return {
    list: () => accessOf(household.callers(), accounts),
    simulate: (asked, signal) => simulate(asked, household.callers(), accounts, nowSeconds(), signal),
    async diff(text, caller, signal) {
      const read = proposedBy(text, household)
      if ('problems' in read) {
        const looked = { folders: 0, messages: 0 }
        return { problems: read.problems, policy: '', settings: [], changes: [], looked, unreached: [] }
      }
      const asked = { proposed: read.proposed, caller, nowSeconds: nowSeconds() }
      return { problems: [], ...(await policyDiff(asked, household.callers(), accounts, signal)) }
    },
  }
}

function proposedBy(
  text: string,
  household: Household,
): { readonly proposed: DiffAsked['proposed'] } | { readonly problems: readonly PolicyProblem[] } {
  const callers = household.readCallers?.(text)
  if (callers !== undefined) return 'callers' in callers ? { proposed: callers.callers } : callers
  const read = household.readPolicy(text)
  return 'accounts' in read ? { proposed: read } : { problems: read }
}
