/** A level: as a word, as a row of steps, and as what it shows. */
import type { JSX } from 'preact'
import { LEVELS, SEES } from './words.ts'

export function Level({ name }: { readonly name: string }): JSX.Element {
  const rank = (LEVELS as readonly string[]).indexOf(name)
  return (
    <span class="level">
      <span class="level-steps" aria-hidden="true">
        {LEVELS.slice(1).map((level, at) => (
          <i key={level} class={at < rank ? 'on' : undefined} />
        ))}
      </span>
      <span>
        <strong>{name}</strong>
        <span class="soft beneath">{SEES[name] ?? ''}</span>
      </span>
    </span>
  )
}
