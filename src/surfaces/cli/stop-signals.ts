/** Ctrl-C and a host's request to end. Asked twice, the process ends at once, as it would without us. */
import type { EventEmitter } from 'node:events'

export function onStopSignal(process: Pick<EventEmitter, 'once' | 'off'>, stop: () => void): void {
  const heard = (): void => {
    process.off('SIGTERM', heard)
    process.off('SIGINT', heard)
    stop()
  }
  process.once('SIGTERM', heard)
  process.once('SIGINT', heard)
}
