/** A moment: how far away, and exactly when it is asked for. */
import type { JSX } from 'preact'
import { distance, exactTime, useNow } from '../times.ts'

export function Moment({ at }: { readonly at: string }): JSX.Element {
  const now = useNow()
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(time)}>
      {distance(time, now)}
    </time>
  )
}
