/**
 * What a policy, or another list of callers, would change if it counted: every setting, and the levels of real messages.
 *
 * INVARIANT: nothing is applied and nothing is changed anywhere. Looks at a bounded number of folders, and at the newest messages
 * of each. Both verdicts on a message are found by the code that callers get theirs from.
 */
import { canonicalJson } from '../../core/audit/chain.ts'
import { withGoogleFolders } from '../../core/decision/google-paths.ts'
import { Failure } from '../../core/failure.ts'
import { GoogleFolders } from '../../core/google-folders.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import type { Mailbox, Traits } from '../../core/message.ts'
import { writeLineOut } from '../../core/outbox/written-out.ts'
import { FIELDS_OF, factsOf } from '../../core/policy/facts.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import { nothingAllowed, type Policy, type PolicyDefinition, policyFrom } from '../../core/policy/policy.ts'
import type { Account, Accounts } from '../accounts/accounts.ts'
import { traitsInBatches } from '../sight/traits-in-batches.ts'
import type { KnownCaller } from './access.ts'
import { type SettingChange, settingChanges } from './setting-changes.ts'
import { shownOf } from './simulate.ts'

export interface PolicyChange {
  readonly caller: string
  readonly account: string
  readonly mailbox: string
  readonly before: LevelCounts
  readonly after: LevelCounts
  readonly examples: readonly ChangedMessage[]
}

export type LevelCounts = Partial<Readonly<Record<Level, number>>>

export interface ChangedMessage {
  readonly uid: number
  readonly before: Level
  readonly after: Level
  readonly subject: string
  readonly from: string
}

export interface PolicyDiff {
  /** Empty for a list of callers. */
  readonly policy: string
  readonly settings: readonly SettingChange[]
  readonly changes: readonly PolicyChange[]
  readonly looked: { readonly folders: number; readonly messages: number }
  /** Accounts that could not be asked, and why. */
  readonly unreached: readonly { readonly account: string; readonly message: string }[]
}

const NEWEST = 200
const MOST_FOLDERS = 300
const MOST_EXAMPLES = 5

export interface DiffAsked {
  /** A policy, or all the callers that there would be. */
  readonly proposed: PolicyDefinition | readonly KnownCaller[]
  /** Absent for all whose policy has that name, or for all callers. */
  readonly caller: string | undefined
  readonly nowSeconds: number
}

/** One caller as it is and as it would be; absent where there is none. */
interface Proposal {
  readonly id: string
  readonly before: KnownCaller | undefined
  readonly after: KnownCaller | undefined
}

export async function policyDiff(
  { proposed, caller, nowSeconds }: DiffAsked,
  callers: readonly KnownCaller[],
  accounts: Accounts,
  signal: AbortSignal,
): Promise<PolicyDiff> {
  const policy = 'accounts' in proposed ? proposed.name : ''
  const meant = 'accounts' in proposed ? withPolicy(proposed, caller, callers) : withCallers(proposed, caller, callers)
  if (meant.length === 0) throw nobody(caller)
  const settings = meant.flatMap(({ before, after }) => settingChanges(before, after))
  const tally = new Tally()
  await accounts.reading(async (book) => {
    for (const account of book.list()) {
      const concerned = meant.filter((one) => policiesOf(one).some((each) => each.sees(account.id)))
      if (concerned.length === 0) continue
      await compare(account, concerned, { tally, nowSeconds, signal }).catch((error: unknown) => {
        if (!(error instanceof Failure) || signal.aborted) throw error
        tally.unreached.push({ account: account.id, message: error.message })
      })
    }
  })
  const { changes, folders, messages, unreached } = tally
  const loudest = settings.toSorted((a, b) => Number(b.danger !== undefined) - Number(a.danger !== undefined))
  return { policy, settings: loudest, changes, looked: { folders, messages }, unreached }
}

function withPolicy(
  definition: PolicyDefinition,
  caller: string | undefined,
  callers: readonly KnownCaller[],
): readonly Proposal[] {
  const meant = callers.filter(({ id, policy }) =>
    caller === undefined ? policy.name === definition.name : id === caller,
  )
  const policy = policyFrom(definition)
  return meant.map((before) => ({ id: before.id, before, after: { ...before, policy, definition } }))
}

function withCallers(
  proposed: readonly KnownCaller[],
  caller: string | undefined,
  callers: readonly KnownCaller[],
): readonly Proposal[] {
  const ids = [...new Set([...callers, ...proposed].map(({ id }) => id))]
  const find = (all: readonly KnownCaller[], id: string): KnownCaller | undefined => all.find((one) => one.id === id)
  return ids
    .filter((id) => caller === undefined || id === caller)
    .map((id) => ({ id, before: find(callers, id), after: find(proposed, id) }))
}

function policiesOf({ before, after }: Proposal): readonly [Policy, Policy] {
  return [before?.policy ?? nothingAllowed, after?.policy ?? nothingAllowed]
}

class Tally {
  readonly changes: PolicyChange[] = []
  readonly unreached: { account: string; message: string }[] = []
  folders = 0
  messages = 0
}

interface Looking {
  readonly tally: Tally
  readonly nowSeconds: number
  readonly signal: AbortSignal
}

async function compare(account: Account, callers: readonly Proposal[], looking: Looking): Promise<void> {
  const listed = await account.source.mailboxes(looking.signal)
  const known = new Map([[account.id, new GoogleFolders(listed, account.google !== undefined)]])
  const mailboxes = listed.filter(({ selectable }) => selectable)
  for (const mailbox of mailboxes.slice(0, MOST_FOLDERS)) {
    const path = pathOf(mailbox.name, mailbox.delimiter)
    const concerned = callers
      .map((one) => {
        const [now, later] = policiesOf(one).map((policy) => withGoogleFolders(policy, known)) as [Policy, Policy]
        return { id: one.id, now: now.folder(account.id, path), later: later.folder(account.id, path) }
      })
      .filter(({ now, later }) => now.named || later.named)
    if (concerned.length === 0) continue
    looking.tally.folders += 1
    const differing = concerned.filter(({ now, later }) => !isSame(now, later))
    if (differing.length > 0) await compareFolder(account, mailbox, path, differing, looking)
  }
}

interface TwoPolicies {
  readonly id: string
  readonly now: FolderPolicy
  readonly later: FolderPolicy
}

async function compareFolder(
  account: Account,
  { name }: Mailbox,
  path: string,
  callers: readonly TwoPolicies[],
  { tally, nowSeconds, signal }: Looking,
): Promise<void> {
  const { uids, uidvalidity, kept } = await account.source.find(name, { criteria: {}, take: NEWEST }, signal)
  const needs = new Set(callers.flatMap(({ now, later }) => [...now.needs, ...later.needs]))
  const fields = new Set(['From', 'Subject', ...[...needs].flatMap((source) => FIELDS_OF[source])])
  const wanted = { fields: [...fields], structure: needs.has('structure') }
  const messages: Traits[] = []
  const at = { mailbox: name, uidvalidity, kept }
  for await (const batch of traitsInBatches(account.source, at, uids, wanted, signal)) {
    messages.push(...batch)
  }
  tally.messages += messages.length
  for (const { id, now, later } of callers) {
    const judged = messages.map((traits) => {
      const facts = factsOf(traits, needs, account.authservId)
      return { traits, before: now.verdict(facts, nowSeconds).level, after: later.verdict(facts, nowSeconds).level }
    })
    const changed = judged.filter(({ before, after }) => before !== after)
    if (changed.length === 0) continue
    tally.changes.push({
      caller: id,
      account: account.id,
      mailbox: writeLineOut(path),
      before: countsOf(judged.map(({ before }) => before)),
      after: countsOf(judged.map(({ after }) => after)),
      examples: changed
        .toSorted((a, b) => b.traits.received - a.traits.received)
        .slice(0, MOST_EXAMPLES)
        .map(({ traits, before, after }) => ({ uid: traits.uid, before, after, ...shownOf(traits.header) })),
    })
  }
}

function isSame(one: FolderPolicy, other: FolderPolicy): boolean {
  if (one.named !== other.named) return false
  const { path: _, ...rest } = one.definition
  const { path: __, ...others } = other.definition
  return canonicalJson(rest) === canonicalJson(others)
}

function countsOf(levels: readonly Level[]): LevelCounts {
  const counts: Partial<Record<Level, number>> = {}
  for (const level of levels) counts[level] = (counts[level] ?? 0) + 1
  return counts
}

function nobody(caller: string | undefined): Failure {
  const what =
    caller === undefined
      ? 'no caller has a policy of that name; choose the caller that it is meant for'
      : 'there is no such caller in the configuration'
  return new Failure('not_found', what, { stage: 'console' })
}
