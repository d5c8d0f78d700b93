/** Which accounts there are, without connecting to any of them. */

import type { AccountSummary } from '../../core/results.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Perform } from './workshop.ts'

export const listAccounts: Perform<'list_accounts'> = async (_action, { accounts, sight }) => {
  const all = accounts.list()
  const visible = all.filter(({ id }) => sight.sees(id))
  return {
    accounts: await Promise.all(visible.map(summaryOf)),
    hidden: sight.conceals ? undefined : all.length - visible.length,
  }
}

export async function summaryOf(account: Account): Promise<AccountSummary> {
  const { id, host, port, secure, provider } = account
  const state = (await account.standing?.())?.state ?? 'active'
  return { id, host, port, secure, provider, state }
}
