/** The record, live: who did what, what was refused, and why. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Activity } from '../api-types.ts'
import { Empty, Trouble } from '../parts/callout.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useResource } from '../resource.ts'
import { ChainState } from './chain-state.tsx'
import { Filters, NO_FILTER, queryOf } from './filters.tsx'
import { useOlder } from './older.ts'
import { RecordTable } from './record-table.tsx'

export function ActivityPage(): JSX.Element {
  const [filter, setFilter] = useState(NO_FILTER)
  const path = `/activity?${queryOf(filter)}`
  const { data, error, reload } = useResource<Activity>(path, ['activity'])
  const { records, more, busy, error: olderError, fetchOlder } = useOlder(path, data)
  return (
    <section aria-labelledby="activity-title">
      <header class="page-head">
        <h1 id="activity-title">Activity</h1>
        <ChainState chain={data?.chain} />
      </header>
      <Filters filter={filter} onChange={setFilter} />
      {error !== undefined && <Trouble error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={12} kind="row" />}
      {data !== undefined && records.length === 0 && (
        <Empty title="No record matches.">
          <p>Whatever an agent asks for is written here, allowed or refused, as it happens.</p>
        </Empty>
      )}
      {records.length > 0 && <RecordTable records={records} />}
      {olderError !== undefined && <Trouble error={olderError} />}
      {more && (
        <div class="actions">
          <button type="button" disabled={busy} onClick={fetchOlder}>
            {busy ? 'Fetching…' : 'Show older'}
          </button>
        </div>
      )}
    </section>
  )
}
