/** Who may see and do what: as it is, for one message, and as it would be. */
import type { JSX } from 'preact'
import type { Access, CallerAccess } from '../api-types.ts'
import { typed } from '../client.ts'
import { Empty, Trouble } from '../parts/callout.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useResource } from '../resource.ts'
import { addressOf } from '../route.ts'
import { CallerView } from './caller-view.tsx'
import { Comparison } from './comparison.tsx'
import { Simulator } from './simulator.tsx'

export function AccessPage({ caller }: { readonly caller: string | undefined }): JSX.Element {
  const { data, error, reload } = useResource<Access>('/access', [])
  return (
    <section aria-labelledby="access-title">
      <header class="page-head">
        <h1 id="access-title">Access</h1>
      </header>
      {error !== undefined && <Trouble error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={3} kind="card" />}
      {data !== undefined && <Callers callers={data.callers} open={caller} />}
    </section>
  )
}

function Callers({
  callers,
  open,
}: {
  readonly callers: readonly CallerAccess[]
  readonly open: string | undefined
}): JSX.Element {
  const shown = callers.find(({ id }) => id === open) ?? callers[0]
  if (shown === undefined) {
    return (
      <Empty title="There are no callers.">
        <p>
          Who may come in stands in the configuration; <code>{typed('setup')}</code> writes one.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <nav aria-label="Callers">
        <ul class="tabs">
          {callers.map(({ id }) => (
            <li key={id}>
              <a href={addressOf('access', id)} aria-current={id === shown.id ? 'true' : undefined}>
                <bdi>{id}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <CallerView caller={shown} />
      <Simulator key={shown.id} caller={shown} />
      <Comparison callers={callers} />
    </>
  )
}
