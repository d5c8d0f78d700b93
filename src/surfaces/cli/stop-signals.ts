/** Ctrl-C and a host's request to end. Asked twice, the process ends at once, as it would without us. */
import type { EventEmitter } from 'node:events'

/** Whoever ends a group of processes asks each of them, and npm and our launcher pass on what they hear: one wish. */
const SAME_WISH_MS = 500

export function onStopSignal(process: Pick<EventEmitter, 'on' | 'off'>, stop: () => void): void {
  let isAsked = false
  const leave = (): void => {
    process.off('SIGTERM', heard)
    process.off('SIGINT', heard)
  }
  const heard = (): void => {
    if (isAsked) return
    isAsked = true
    setTimeout(leave, SAME_WISH_MS).unref()
    stop()
  }
  process.on('SIGTERM', heard)
  process.on('SIGINT', heard)
}
