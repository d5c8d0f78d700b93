/** The accounts a running server knows, and the mail behind each. */
import { absentAccount } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import type { AccountSummary } from '../../core/results.ts'
import type { MailSource } from '../../ports/mail-source.ts'

export interface Account extends AccountSummary {
  readonly source: MailSource
}

export class Accounts {
  readonly #byId: ReadonlyMap<string, Account>

  constructor(accounts: readonly Account[]) {
    this.#byId = new Map(accounts.map((account) => [account.id, account]))
  }

  get(id: string): Account {
    const account = this.#byId.get(id)
    if (account !== undefined) return account
    throw new Failure('not_found', absentAccount(id))
  }

  list(): readonly Account[] {
    return [...this.#byId.values()]
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.list().map(({ source }) => source.close()))
  }
}
