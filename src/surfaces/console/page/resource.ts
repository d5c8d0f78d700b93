/**
 * Something the server knows, kept up to date for as long as anything on the page shows it.
 *
 * INVARIANT: what is shown under a path came from that path, and is asked for once however many show it. An answer equal to the
 * last changes nothing on the page; while a new one is on its way the last stays.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Topic } from './api-types.ts'
import { ApiFailure, get } from './client.ts'
import { onChange } from './live.ts'
import { repeat } from './repeat.ts'

export interface Resource<T> {
  readonly data: T | undefined
  readonly error: ApiFailure | undefined
  reload(): void
}

interface Source {
  text: string | undefined
  value: unknown
  error: ApiFailure | undefined
  readonly viewers: Set<() => void>
  again: () => void
  end: () => void
}

const sources = new Map<string, Source>()
/** So many that nobody looks at are kept, so that going back shows something at once. */
const MOST_KEPT = 50

export function forgetAnswers(): void {
  for (const source of sources.values()) source.end()
  sources.clear()
}

/** `path` may be undefined: then nothing is asked. */
export function useResource<T>(path: string | undefined, topics: readonly Topic[]): Resource<T> {
  const [, redraw] = useState(0)
  useEffect(() => {
    if (path === undefined) return
    return view(path, topics, () => redraw((times) => times + 1))
  }, [path])
  const source = path === undefined ? undefined : sources.get(path)
  return { data: source?.value as T | undefined, error: source?.error, reload: () => source?.again() }
}

function view(path: string, topics: readonly Topic[], redraw: () => void): () => void {
  const source = sources.get(path) ?? added(path)
  source.viewers.add(redraw)
  if (source.viewers.size === 1) start(path, source, topics)
  // What was there before this one looked is shown at once.
  redraw()
  return () => {
    source.viewers.delete(redraw)
    if (source.viewers.size === 0) source.end()
  }
}

function start(path: string, source: Source, topics: readonly Topic[]): void {
  const loop = repeat(async (signal) => {
    if (await refresh(path, source, signal)) for (const redraw of [...source.viewers]) redraw()
  })
  const stop = onChange(topics, loop.again)
  source.again = loop.again
  source.end = () => {
    stop()
    loop.end()
  }
  loop.again()
}

/** Whether there is anything new to show. */
async function refresh(path: string, source: Source, signal: AbortSignal): Promise<boolean> {
  try {
    const value = await get(path, signal)
    const text = JSON.stringify(value)
    const isNew = text !== source.text || source.error !== undefined
    Object.assign(source, { value, text, error: undefined })
    return isNew
  } catch (error) {
    if (!(error instanceof ApiFailure)) return false
    source.error = error
    return true
  }
}

function added(path: string): Source {
  const source: Source = {
    text: undefined,
    value: undefined,
    error: undefined,
    viewers: new Set(),
    again: () => {},
    end: () => {},
  }
  for (const [oldest, { viewers }] of sources) {
    if (sources.size < MOST_KEPT) break
    if (viewers.size === 0) sources.delete(oldest)
  }
  sources.set(path, source)
  return source
}
