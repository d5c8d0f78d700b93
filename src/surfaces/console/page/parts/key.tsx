/** A key on the keyboard, for those who look. */
import type { JSX } from 'preact'

export function Key({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  )
}
