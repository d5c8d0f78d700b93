/** Short news: read out to those who listen, shown for a moment to those who look. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const SHOWN_MS = 6000

let tell: (text: string) => void = () => {}

export function notice(text: string): void {
  tell(text)
}

export function Notices(): JSX.Element {
  const [text, show] = useState('')
  useEffect(() => {
    tell = show
    return () => {
      tell = () => {}
    }
  }, [])
  useEffect(() => {
    if (text === '') return
    const end = setTimeout(() => show(''), SHOWN_MS)
    return () => clearTimeout(end)
  }, [text])
  return (
    <div class="notices" role="status" aria-live="polite">
      {text !== '' && <p class="notice">{text}</p>}
    </div>
  )
}
