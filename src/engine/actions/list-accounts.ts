/** Which accounts there are, without connecting to any of them. */
import type { Perform } from './workshop.ts'

export const listAccounts: Perform<'list_accounts'> = async (_action, { accounts, policy }) => ({
  accounts: accounts
    .list()
    .filter(({ id }) => policy.sees(id))
    .map(({ id, host, port, secure }) => ({ id, host, port, secure })),
})
