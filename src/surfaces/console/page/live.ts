/**
 * What the server tells by itself: that something of a kind has changed. What changed is then asked for.
 *
 * INVARIANT: one line for all tabs of a browser, since it opens only six to one server. The tab that holds it tells the others; when
 * it goes, another takes over. Whenever a line opens everything is asked for again: nobody knows what was missed.
 */
import { useEffect, useState } from 'preact/hooks'
import { TOPICS, type Topic } from './api-types.ts'
import { followLine, type LineState } from './line.ts'

const listeners = new Map<Topic, Set<() => void>>(TOPICS.map((topic) => [topic, new Set()]))
const watchers = new Set<(state: LineState) => void>()
let state: LineState = 'opening'

/** For as long as the page is open to somebody who is signed in. */
export function openLine(): () => void {
  const end = followLine({ onState: turn, onTopics: (topics) => topics.forEach(tellAll) })
  return () => {
    end()
    turn('opening')
  }
}

export function onChange(topics: readonly Topic[], tell: () => void): () => void {
  for (const topic of topics) listeners.get(topic)?.add(tell)
  return () => {
    for (const topic of topics) listeners.get(topic)?.delete(tell)
  }
}

export function useLineState(): LineState {
  const [shown, show] = useState(state)
  useEffect(() => {
    show(state)
    watchers.add(show)
    return () => void watchers.delete(show)
  }, [])
  return shown
}

function tellAll(topic: Topic): void {
  for (const tell of [...(listeners.get(topic) ?? [])]) tell()
}

function turn(next: LineState): void {
  state = next
  for (const show of watchers) show(next)
}
