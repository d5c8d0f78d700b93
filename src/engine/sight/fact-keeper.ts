/**
 * Knows the facts of messages, so that a folder is fetched once and not for every search.
 *
 * INVARIANT: facts are complete before they are given, fetched in batches, never one message at a time. What never
 * changes under a uid is remembered; flags are asked anew each time. Bounded: the mailbox unused longest is forgotten.
 */
import { type FactSource, type Facts, FIELDS_OF, factsOf } from '../../core/policy/facts.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'

export interface FactsWanted {
  readonly sources: ReadonlySet<FactSource>
  /** Whether it matters which messages are flagged now. */
  readonly flags: boolean
}

interface Remembered {
  readonly uidvalidity: number
  readonly sources: ReadonlySet<FactSource>
  readonly facts: Map<number, Facts>
}

/** More messages than this are never searched or counted in one go. */
export const MOST_MESSAGES = 1_000_000
const MOST_REMEMBERED = 200_000
const BATCH = 5000

export class FactKeeper {
  /** By account, so that one that is replaced takes its facts with it. */
  readonly #accounts = new WeakMap<Account, Map<string, Remembered>>()
  /** Go with the facts they were made from, and with the policy that made them. */
  readonly #verdicts = new WeakMap<ReadonlyMap<number, Facts>, WeakMap<FolderPolicy, Map<number, Level>>>()
  /** Newest use last. */
  readonly #order = new Map<Remembered, () => void>()

  /** What a folder's rules made of these facts, for rules whose verdicts last. */
  verdicts(facts: ReadonlyMap<number, Facts>, folder: FolderPolicy): Map<number, Level> {
    const byFolder = this.#verdicts.get(facts) ?? new WeakMap<FolderPolicy, Map<number, Level>>()
    this.#verdicts.set(facts, byFolder)
    const known = byFolder.get(folder) ?? new Map<number, Level>()
    byFolder.set(folder, known)
    return known
  }

  /** The facts of those messages that are still there; perhaps of others too. */
  async facts(
    account: Account,
    at: MailboxAt,
    uids: readonly number[],
    wanted: FactsWanted,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Facts>> {
    const remembered = this.#remembered(account, at, wanted.sources)
    const missing = uids.filter((uid) => !remembered.facts.has(uid))
    for (let from = 0; from < missing.length; from += BATCH) {
      await learn(account, at, missing.slice(from, from + BATCH), remembered, signal)
    }
    this.#forgetOldest(remembered)
    if (!wanted.flags) return remembered.facts
    return withFlags(remembered.facts, uids, await flaggedIn(account, at, signal))
  }

  #remembered(account: Account, at: MailboxAt, sources: ReadonlySet<FactSource>): Remembered {
    const mailboxes = this.#accounts.get(account) ?? new Map<string, Remembered>()
    this.#accounts.set(account, mailboxes)
    const known = mailboxes.get(at.mailbox)
    if (known !== undefined && known.uidvalidity === at.uidvalidity && sources.isSubsetOf(known.sources)) {
      this.#touch(known, () => mailboxes.delete(at.mailbox))
      return known
    }
    if (known !== undefined) this.#order.delete(known)
    const wider = known?.uidvalidity === at.uidvalidity ? sources.union(known.sources) : sources
    const fresh = { uidvalidity: at.uidvalidity, sources: wider, facts: new Map() }
    mailboxes.set(at.mailbox, fresh)
    this.#touch(fresh, () => mailboxes.delete(at.mailbox))
    return fresh
  }

  #touch(remembered: Remembered, forget: () => void): void {
    this.#order.delete(remembered)
    this.#order.set(remembered, forget)
  }

  #forgetOldest(keep: Remembered): void {
    let count = [...this.#order.keys()].reduce((sum, { facts }) => sum + facts.size, 0)
    for (const [oldest, forget] of this.#order) {
      if (count <= MOST_REMEMBERED || oldest === keep) return
      count -= oldest.facts.size
      this.#order.delete(oldest)
      forget()
    }
  }
}

async function learn(
  account: Account,
  at: MailboxAt,
  uids: readonly number[],
  { sources, facts }: Remembered,
  signal: AbortSignal,
): Promise<void> {
  const fields = [...new Set([...sources].flatMap((source) => FIELDS_OF[source]))]
  const wanted = { fields, structure: sources.has('structure') }
  for (const traits of await account.source.traits(at, uids, wanted, signal)) {
    facts.set(traits.uid, factsOf(traits, sources, account.authservId))
  }
}

async function flaggedIn(account: Account, at: MailboxAt, signal: AbortSignal): Promise<ReadonlySet<number>> {
  const search = { criteria: { flagged: true }, take: MOST_MESSAGES, most: MOST_MESSAGES }
  return new Set((await account.source.find(at.mailbox, search, signal)).uids)
}

function withFlags(
  facts: ReadonlyMap<number, Facts>,
  uids: readonly number[],
  flagged: ReadonlySet<number>,
): ReadonlyMap<number, Facts> {
  const now = new Map<number, Facts>()
  for (const uid of uids) {
    const known = facts.get(uid)
    if (known !== undefined) now.set(uid, { ...known, flagged: flagged.has(uid) })
  }
  return now
}
