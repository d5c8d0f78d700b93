/** What stands where something will be, in its size, so that nothing moves when it comes. */
import type { JSX } from 'preact'

export function Skeleton({
  rows,
  kind,
}: {
  readonly rows: number
  readonly kind: 'row' | 'card' | 'letter'
}): JSX.Element {
  return (
    <div class="skeletons">
      <p class="unseen" role="status">
        Loading
      </p>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class={`skeleton ${kind}`} aria-hidden="true" />
      ))}
    </div>
  )
}
