/**
 * Whether calls can be recorded, for `/health`. A server that cannot record refuses every call, so it is not healthy.
 *
 * INVARIANT: cheap however often it is asked: one check at a time, and at most one in `FRESH_MS`. It always ends.
 */
import { systemClock } from '../adapters/clock/system-clock.ts'
import type { SecretiveLog } from '../adapters/log/log.ts'
import type { CheckedAuditLog } from '../ports/audit-log.ts'

const FRESH_MS = 1000
/** A check that takes longer waits for a lock or a disk that calls would wait for, too. */
const PATIENCE_MS = 3000

export function canRecord(audit: CheckedAuditLog, log: SecretiveLog): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  let wasAble = true

  async function check(): Promise<boolean> {
    const failure = await Promise.race([
      audit.checkWritable().then(
        () => undefined,
        (error: unknown) => error,
      ),
      late(),
    ])
    const isAble = failure === undefined
    // Said once, not with every question.
    if (wasAble && !isAble)
      log.error({ err: failure }, 'calls cannot be recorded, so they are refused; run: postern doctor')
    wasAble = isAble
    return isAble
  }

  return () => {
    const now = systemClock.elapsed()
    if (last === undefined || now - last.at > FRESH_MS) last = { at: now, answer: check() }
    return last.answer
  }
}

function late(): Promise<Error> {
  return new Promise((resolve) => {
    const error = new Error(`the audit log did not answer within ${PATIENCE_MS} ms`)
    setTimeout(() => resolve(error), PATIENCE_MS).unref()
  })
}
