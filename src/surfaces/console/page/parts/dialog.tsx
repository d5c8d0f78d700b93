/** A question in front of everything else. Escape closes it, and the focus goes back to where it was. */
import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const place = useRef<HTMLDialogElement>(null)
  const name = useId()
  useLayoutEffect(() => {
    const dialog = place.current
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => dialog?.close()
  }, [])
  // A browser tells later that it has closed a dialog. By then this one may be gone and another open.
  const closed = (): void => {
    if (place.current !== null) onClose()
  }
  return (
    <dialog ref={place} aria-labelledby={name} onCancel={onClose} onClose={closed}>
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  )
}
