/** The accounts: whether they can be reached, and how far their mirrors have come. */
import type { JSX } from 'preact'
import type { Accounts } from '../api-types.ts'
import { typed } from '../client.ts'
import { Empty, Trouble } from '../parts/callout.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useResource } from '../resource.ts'
import { AccountCard } from './account-card.tsx'

export function AccountsPage(): JSX.Element {
  const { data, error, reload } = useResource<Accounts>('/accounts', ['accounts'])
  return (
    <section aria-labelledby="accounts-title">
      <header class="page-head">
        <h1 id="accounts-title">Accounts</h1>
      </header>
      {error !== undefined && <Trouble error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={3} kind="card" />}
      {data?.accounts.length === 0 && (
        <Empty title="There are no accounts.">
          <p>
            <code>{typed('setup')}</code> adds one: it asks for the address first.
          </p>
        </Empty>
      )}
      {data !== undefined && (
        <ul class="card-list">
          {data.accounts.map((account) => (
            <AccountCard key={account.id} account={account} />
          ))}
        </ul>
      )}
    </section>
  )
}
