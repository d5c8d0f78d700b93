/** How long after a failure a transfer is tried again. */

const BACK_OFF_MS = [1000, 4000, 15_000]

/** The last one holds for all that follow. One that was called off before it could fail waits as after a first failure. */
export function backOff(failures: number, waits: readonly number[] = BACK_OFF_MS): number {
  return waits[Math.min(Math.max(failures, 1), waits.length) - 1] ?? 0
}
