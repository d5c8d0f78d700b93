/**
 * What one caller sees of a folder: which level each message has for it.
 *
 * INVARIANT: everything a rule looks at is known before it runs. Where all messages of a folder have the same level
 * none is fetched to find it out.
 */
import { pathOf } from '../../core/mailbox-path.ts'
import type { Opened } from '../../core/message.ts'
import { factsOf } from '../../core/policy/facts.ts'
import type { FolderPolicy, Verdict } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'
import type { Policy } from '../../core/policy/policy.ts'
import type { Clock } from '../../ports/clock.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import type { FactKeeper } from './fact-keeper.ts'

export class Sight {
  readonly #policy: Policy
  readonly #facts: FactKeeper
  readonly #clock: Clock

  constructor(policy: Policy, facts: FactKeeper, clock: Clock) {
    this.#policy = policy
    this.#facts = facts
    this.#clock = clock
  }

  get conceals(): boolean {
    return this.#policy.concealHidden
  }

  get facts(): FactKeeper {
    return this.#facts
  }

  get nowSeconds(): number {
    return Math.floor(this.#clock.now() / 1000)
  }

  sees(account: string): boolean {
    return this.#policy.sees(account)
  }

  /** `mailbox` as the server names it. */
  async folder(account: Account, mailbox: string, signal: AbortSignal): Promise<FolderPolicy> {
    if (!this.#policy.byFolder) return this.#policy.folder(account.id, mailbox)
    return this.#policy.folder(account.id, pathOf(mailbox, await account.source.delimiter(signal)))
  }

  folderAt(account: string, path: string): FolderPolicy {
    return this.#policy.folder(account, path)
  }

  /** Whether the policy speaks of that folder at all. */
  named(account: string, path: string): boolean {
    return this.#policy.folder(account, path).named
  }

  folders(account: string): readonly FolderPolicy[] {
    return this.#policy.folders(account)
  }

  /** The level of each of the messages that is still there; perhaps of others too. Tells of stars where they matter. */
  async levels(
    account: Account,
    folder: FolderPolicy,
    at: MailboxAt,
    uids: readonly number[],
    signal: AbortSignal,
    onStar?: (uid: number, starred: boolean) => void,
  ): Promise<ReadonlyMap<number, Level>> {
    const { uniform } = folder
    if (uniform !== undefined) return new Map(uids.map((uid) => [uid, uniform.level]))
    const wanted = { sources: folder.needs, flags: folder.looksAtFlags }
    const levels = folder.lasting ? this.#facts.verdicts(account, at, folder) : new Map<number, Level>()
    const unjudged = levels.size === 0 ? uids : uids.filter((uid) => !levels.has(uid))
    const now = this.nowSeconds
    await this.#facts.each(account, at, unjudged, wanted, signal, (uid, facts) => {
      levels.set(uid, folder.verdict(facts, now).level)
      if (folder.looksAtFlags) onStar?.(uid, facts.flagged === true)
    })
    return levels
  }

  /** One message, judged by what it is at this moment. `flags` where they are about to change. */
  verdict(account: Account, folder: FolderPolicy, opened: Opened, flags: readonly string[] = opened.flags): Verdict {
    if (folder.uniform !== undefined) return folder.uniform
    const facts = factsOf({ ...opened, flags }, folder.needs, account.authservId)
    return folder.verdict(facts, this.nowSeconds)
  }
}
