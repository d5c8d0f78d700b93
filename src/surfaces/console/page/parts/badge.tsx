/** A short word about how something stands. Its colour only repeats what it says. */
import type { ComponentChildren, JSX } from 'preact'

export type Tone = 'calm' | 'good' | 'warn' | 'bad'

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>
}
