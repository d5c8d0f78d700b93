/**
 * Whether the record is whole, as far as it was last checked.
 *
 * INVARIANT: one check at a time, and most of the time none: a long record takes long to check, and is checked the less often.
 * Whoever asks waits for a short while only; then what was known before is said, and what the check found when it is asked for.
 */
import type { Verification } from '../../core/audit/verify.ts'
import { Failure } from '../../core/failure.ts'
import type { AuditReader } from '../../ports/audit-reader.ts'
import type { Clock } from '../../ports/clock.ts'

export interface ChainState {
  readonly state: 'ok' | 'broken' | 'unknown'
  /** How many records were checked. */
  readonly checkedUpTo: number
  readonly checkedAt?: string
  readonly firstBad?: string
}

export interface ChainWatch {
  state(): Promise<ChainState>
  /** Changes with what a check has found, for those who were not told in time. Checks nothing. */
  stamp(): string
}

const PATIENCE_MS = 1000
/** Between two checks. */
const LEAST_MS = 2000
/** As many times as long as a check took. */
const REST = 20

export function watchChain(reader: Pick<AuditReader, 'verify'>, clock: Clock): ChainWatch {
  let known: ChainState = { state: 'unknown', checkedUpTo: 0 }
  let checking: Promise<void> | undefined
  let restUntil = Number.NEGATIVE_INFINITY

  async function check(): Promise<void> {
    const began = clock.elapsed()
    const checkedAt = new Date(clock.now()).toISOString()
    try {
      known = { ...stateOf(await reader.verify()), checkedAt }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      known = { state: 'unknown', checkedUpTo: 0, checkedAt }
    }
    const ended = clock.elapsed()
    restUntil = ended + Math.max(LEAST_MS, REST * (ended - began))
  }

  return {
    async state() {
      if (checking === undefined && clock.elapsed() >= restUntil) {
        checking = check().finally(() => {
          checking = undefined
        })
      }
      if (checking !== undefined) await Promise.race([checking, pause(PATIENCE_MS)])
      return known
    },
    stamp: () => known.state,
  }
}

function stateOf(verified: Verification): Omit<ChainState, 'checkedAt'> {
  if (verified.kind === 'intact') return { state: 'ok', checkedUpTo: verified.records }
  const { file, line, problem } = verified
  return { state: 'broken', checkedUpTo: 0, firstBad: `${file} line ${line}: ${problem.replaceAll('_', ' ')}` }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
