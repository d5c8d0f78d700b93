/** Messages on their way between accounts, and those that need a person. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Transfers } from '../api-types.ts'
import { Empty, Trouble } from '../parts/callout.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useResource } from '../resource.ts'
import { TransferTable } from './transfer-table.tsx'

export function TransfersPage(): JSX.Element {
  const [all, showAll] = useState(false)
  const { data, error, reload } = useResource<Transfers>(all ? '/transfers?all=1' : '/transfers', ['transfers'])
  return (
    <section aria-labelledby="transfers-title">
      <header class="page-head">
        <h1 id="transfers-title">Transfers</h1>
        <label class="check">
          <input type="checkbox" checked={all} onChange={(event) => showAll(event.currentTarget.checked)} />
          Show those that are over
        </label>
      </header>
      {error !== undefined && <Trouble error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={4} kind="row" />}
      {data?.transfers.length === 0 && (
        <Empty title="Nothing is on its way.">
          <p>When an agent moves or copies a message to another account, it is followed here until it has arrived.</p>
        </Empty>
      )}
      {data !== undefined && data.transfers.length > 0 && <TransferTable transfers={data.transfers} />}
    </section>
  )
}
