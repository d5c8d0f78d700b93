/** Whether the page hears of changes at once. */
import type { JSX } from 'preact'
import type { LineState } from '../line.ts'
import { useLineState } from '../live.ts'

const WORDS: Readonly<Record<LineState, string>> = {
  opening: 'Connecting…',
  live: 'Live',
  broken: 'Not connected; trying again',
}

export function Line(): JSX.Element {
  const state = useLineState()
  return (
    <p class={`line ${state}`} role="status">
      {WORDS[state]}
    </p>
  )
}
