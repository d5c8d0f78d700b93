/**
 * Single keys that do something.
 *
 * INVARIANT: never while somebody types, never while a dialog is open, never together with Ctrl, Alt or Meta. All but Escape can be
 * switched off, for people who speak to their computer or strike keys by accident.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Keys = Readonly<Record<string, () => void>>

const KEPT_AS = 'postern.keys'

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  // Before anything is painted: a key that is struck as soon as something can be seen counts.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const act = latest.current[event.key]
      if (act === undefined || !isOurs(event)) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [])
}

export function useKeySwitch(): readonly [boolean, (on: boolean) => void] {
  const [on, show] = useState(keysAreOn)
  const turn = (next: boolean): void => {
    try {
      localStorage.setItem(KEPT_AS, next ? 'on' : 'off')
    } catch {
      // A browser that keeps nothing for us asks again next time.
    }
    show(next)
  }
  return [on, turn]
}

function isOurs(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return false
  if (document.querySelector('dialog[open]') !== null) return false
  if (event.target instanceof Element && event.target.closest('input, textarea, select') !== null) return false
  return event.key === 'Escape' || keysAreOn()
}

function keysAreOn(): boolean {
  try {
    return localStorage.getItem(KEPT_AS) !== 'off'
  } catch {
    return true
  }
}
