/** Asks before something is done, and stays until it is done or has failed. */
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ApiFailure } from '../client.ts'
import { Trouble } from './callout.tsx'
import { Dialog } from './dialog.tsx'

interface AskProps {
  readonly title: string
  readonly yes: string
  readonly tone: 'good' | 'bad'
  /** Whether it may be said yet. */
  readonly ready?: boolean
  /** Whether the answer that does nothing comes first to hand. */
  readonly careful?: boolean
  readonly children: ComponentChildren
  readonly onYes: () => Promise<void>
  readonly onClose: () => void
}

export function Ask({
  title,
  yes,
  tone,
  ready = true,
  careful = false,
  children,
  onYes,
  onClose,
}: AskProps): JSX.Element {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiFailure>()
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (busy || !ready) return
    setBusy(true)
    setError(undefined)
    try {
      await onYes()
      onClose()
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        {error !== undefined && <Trouble error={error} />}
        <div class="actions">
          <button
            type="submit"
            class={`primary ${tone}`}
            disabled={busy || !ready}
            data-first={careful ? undefined : true}
          >
            {yes}
          </button>
          <button type="button" onClick={onClose} data-first={careful ? true : undefined}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
