/** Something a person should know before going on. */
import type { ComponentChildren, JSX } from 'preact'
import type { ApiFailure } from '../client.ts'
import type { Tone } from './badge.tsx'
import { writtenOut } from './mail.tsx'

interface CalloutProps {
  readonly tone: Tone
  readonly title?: string
  readonly children?: ComponentChildren
}

export function Callout({ tone, title, children }: CalloutProps): JSX.Element {
  return (
    <div class={`callout ${tone}`}>
      {title !== undefined && <p class="callout-title">{writtenOut(title)}</p>}
      {children}
    </div>
  )
}

/** What the server could not do, and what to do about it. */
export function Trouble({
  error,
  onRetry,
}: {
  readonly error: ApiFailure
  readonly onRetry?: () => void
}): JSX.Element {
  return (
    <div class="callout bad" role="alert">
      <p class="callout-title">That did not work</p>
      <p>{sentence(error.message)}</p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Where there is nothing yet: what would be here. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
