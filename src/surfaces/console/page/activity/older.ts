/**
 * The record in pages: the newest is kept up to date, older ones are fetched when somebody wants them.
 *
 * INVARIANT: no record twice, and none left out between two that are shown.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Activity, ActivityRecord } from '../api-types.ts'
import { ApiFailure, get } from '../client.ts'

interface Older {
  readonly path: string
  readonly records: readonly ActivityRecord[]
  readonly more: boolean
}

export interface AllRecords {
  readonly records: readonly ActivityRecord[]
  readonly more: boolean
  readonly error: ApiFailure | undefined
  readonly busy: boolean
  fetchOlder(): void
}

export function useOlder(path: string, newest: Activity | undefined): AllRecords {
  const [older, setOlder] = useState<Older>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiFailure>()
  // What fell off the newest page is still shown, where there is something older after it.
  const [last, setLast] = useState<Activity>()
  useEffect(() => {
    setOlder((now) => (now?.path === path ? continued(now, last, newest) : now))
    setLast(newest)
    setError(undefined)
  }, [path, newest])
  const latest = useRef(newest)
  latest.current = newest
  const head = newest?.records ?? []
  const kept = older?.path === path ? older : undefined
  const known = new Set(head.map(({ id }) => id))
  const records = [...head, ...(kept?.records.filter(({ id }) => !known.has(id)) ?? [])]
  const fetchOlder = async (): Promise<void> => {
    const from = records.at(-1)
    if (from === undefined || busy) return
    setBusy(true)
    setError(undefined)
    try {
      const page = await get<Activity>(`${path}&before=${encodeURIComponent(from.id)}`)
      const fetched = { path, records: [...(kept?.records ?? []), ...page.records], more: page.more }
      // Those that came meanwhile have pushed some off the newest page.
      setOlder(continued(fetched, newest, latest.current))
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return { records, more: kept?.more ?? newest?.more ?? false, error, busy, fetchOlder: () => void fetchOlder() }
}

/** Undefined where so many came at once that there is a gap: then the older ones are fetched again when wanted. */
function continued(older: Older, last: Activity | undefined, newest: Activity | undefined): Older | undefined {
  if (last === undefined || newest === undefined) return older
  const known = new Set(newest.records.map(({ id }) => id))
  const first = last.records[0]
  if (first !== undefined && !known.has(first.id)) return undefined
  const fallen = last.records.filter(({ id }) => !known.has(id))
  return { ...older, records: [...fallen, ...older.records.filter(({ id }) => !fallen.some((one) => one.id === id))] }
}
