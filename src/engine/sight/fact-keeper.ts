/**
 * Knows the facts of messages, so that a folder is fetched once and not for every search.
 *
 * INVARIANT: facts are complete before they are given, fetched in batches, never one message at a time. What never
 * changes under a uid is remembered; flags are asked anew each time. Bounded in messages and in bytes: the mailbox unused
 * longest is forgotten, and what does not fit even so is told and not remembered. Others get their turn meanwhile.
 */
import { type FactSource, type Facts, FIELDS_OF, factsOf } from '../../core/policy/facts.ts'
import type { FolderPolicy } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import type { MailboxAt, TraitsWanted } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { traitsInBatches } from './traits-in-batches.ts'
import { Turns } from './turns.ts'

export interface FactsWanted {
  readonly sources: ReadonlySet<FactSource>
  /** Whether it matters which messages are flagged now. */
  readonly flags: boolean
}

interface Remembered {
  readonly uidvalidity: number
  readonly sources: ReadonlySet<FactSource>
  readonly facts: Map<number, Facts>
  /** By the policy that made them, and gone with it. */
  readonly verdicts: WeakMap<FolderPolicy, Map<number, Level>>
  /** About what the facts take. */
  bytes: number
}

/** More messages than this are never searched or counted in one go. */
export const MOST_MESSAGES = 1_000_000
const MOST_REMEMBERED = 200_000
const MOST_BYTES = 64 * 1024 * 1024
const BYTES_PER_MESSAGE = 200
const BYTES_PER_TEXT = 40
const BYTES_PER_CHARACTER = 2

export class FactKeeper {
  /** By account, so that one that is replaced takes its facts with it. */
  readonly #accounts = new WeakMap<Account, Map<string, Remembered>>()
  /** Newest use last. */
  readonly #order = new Map<Remembered, () => void>()
  /** Of all that is in `#order`. */
  #messages = 0
  #bytes = 0
  readonly #mostBytes: number

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** What a folder's rules made of its messages so far, for rules whose verdicts last. */
  verdicts(account: Account, at: MailboxAt, folder: FolderPolicy): Map<number, Level> {
    const { verdicts } = this.#remembered(account, at, folder.needs)
    const known = verdicts.get(folder) ?? new Map<number, Level>()
    verdicts.set(folder, known)
    return known
  }

  /** Tells the facts of each of those messages that is still there, in any order. */
  async each(
    account: Account,
    at: MailboxAt,
    uids: readonly number[],
    { sources, flags }: FactsWanted,
    signal: AbortSignal,
    tell: (uid: number, facts: Facts) => void,
  ): Promise<void> {
    if (uids.length === 0) return
    const remembered = this.#remembered(account, at, sources)
    const flagged = flags ? await flaggedIn(account, at, signal) : undefined
    const tellNow = (uid: number, facts: Facts): void =>
      tell(uid, flagged === undefined ? facts : { ...facts, flagged: flagged.has(uid) })
    const turns = new Turns(signal)
    const missing: number[] = []
    for (const uid of uids) {
      const known = remembered.facts.get(uid)
      if (known === undefined) missing.push(uid)
      else tellNow(uid, known)
      if (turns.over) await turns.rest()
    }
    const wanted = traitsFor(remembered.sources)
    for await (const batch of traitsInBatches(account.source, at, missing, wanted, signal)) {
      for (const traits of batch) {
        const facts = factsOf(traits, remembered.sources, account.authservId)
        this.#keep(remembered, traits.uid, facts)
        tellNow(traits.uid, facts)
        if (turns.over) await turns.rest()
      }
    }
  }

  #remembered(account: Account, at: MailboxAt, sources: ReadonlySet<FactSource>): Remembered {
    const mailboxes = this.#accounts.get(account) ?? new Map<string, Remembered>()
    this.#accounts.set(account, mailboxes)
    const known = mailboxes.get(at.mailbox)
    if (known !== undefined && known.uidvalidity === at.uidvalidity && sources.isSubsetOf(known.sources)) {
      this.#touch(known, () => mailboxes.delete(at.mailbox))
      return known
    }
    if (known !== undefined) this.#drop(known)
    const wider = known?.uidvalidity === at.uidvalidity ? sources.union(known.sources) : sources
    const empty = { facts: new Map(), verdicts: new WeakMap(), bytes: 0 }
    const fresh = { uidvalidity: at.uidvalidity, sources: wider, ...empty }
    mailboxes.set(at.mailbox, fresh)
    this.#touch(fresh, () => mailboxes.delete(at.mailbox))
    return fresh
  }

  #touch(remembered: Remembered, forget: () => void): void {
    this.#order.delete(remembered)
    this.#order.set(remembered, forget)
  }

  #keep(remembered: Remembered, uid: number, facts: Facts): void {
    // One that was forgotten meanwhile is not filled any further.
    if (remembered.facts.has(uid) || !this.#order.has(remembered)) return
    const bytes = bytesOf(facts)
    if (remembered.bytes + bytes > this.#mostBytes) return
    remembered.facts.set(uid, ownCopy(facts))
    remembered.bytes += bytes
    this.#messages += 1
    this.#bytes += bytes
    this.#forgetOldest(remembered)
  }

  #forgetOldest(keep: Remembered): void {
    for (const [oldest, forget] of this.#order) {
      if ((this.#messages <= MOST_REMEMBERED && this.#bytes <= this.#mostBytes) || oldest === keep) return
      this.#drop(oldest)
      forget()
    }
  }

  #drop(remembered: Remembered): void {
    if (!this.#order.delete(remembered)) return
    this.#messages -= remembered.facts.size
    this.#bytes -= remembered.bytes
  }
}

function traitsFor(sources: ReadonlySet<FactSource>): TraitsWanted {
  const fields = [...new Set([...sources].flatMap((source) => FIELDS_OF[source]))]
  return { fields, structure: sources.has('structure') }
}

async function flaggedIn(account: Account, at: MailboxAt, signal: AbortSignal): Promise<ReadonlySet<number>> {
  const search = { criteria: { flagged: true }, take: MOST_MESSAGES, most: MOST_MESSAGES }
  return new Set((await account.source.find(at.mailbox, search, signal)).uids)
}

/** A short text that was cut out of a long one keeps all of that alive: only a copy stands for itself. */
function ownCopy(facts: Facts): Facts {
  return JSON.parse(JSON.stringify(facts)) as Facts
}

function bytesOf({ from = [], to = [], subjects = [] }: Facts): number {
  let bytes = BYTES_PER_MESSAGE
  for (const texts of [from, to, subjects]) {
    for (const text of texts) bytes += BYTES_PER_TEXT + BYTES_PER_CHARACTER * text.length
  }
  return bytes
}
