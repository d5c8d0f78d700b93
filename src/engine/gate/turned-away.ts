/**
 * Puts on record who came to the door without the right key.
 *
 * INVARIANT: a flood of them costs a bounded number of records a minute; those left out are counted in the next one
 * that is written.
 */
import { authFailed } from '../../core/audit/events.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'

const RECORDS_A_MINUTE = 30
const MINUTE_MS = 60_000

export type TurnedAway = (reason: string, address: string) => Promise<void>

export function recordTurnedAway(audit: Pick<AuditLog, 'append'>, clock: Clock): TurnedAway {
  let minute = 0
  let written = 0
  let leftOut = 0
  return async (reason, address) => {
    const now = clock.now()
    const current = Math.floor(now / MINUTE_MS)
    if (current !== minute) written = 0
    minute = current
    if (written >= RECORDS_A_MINUTE) {
      leftOut += 1
      return
    }
    written += 1
    const entry = authFailed(new Date(now).toISOString(), reason, address, leftOut)
    leftOut = 0
    await audit.append(entry)
  }
}
