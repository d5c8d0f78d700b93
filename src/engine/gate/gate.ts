/**
 * The one way to have an action carried out.
 *
 * INVARIANT: every call is limited, decided, bounded in time, redacted and recorded, in that order. A change happens
 * only after its intent is durably on record; an answer leaves only after its record is. This is the only catch-all.
 */
import type { ActionKind, ActionOf } from '../../core/action.ts'
import type { Caller } from '../../core/call/caller.ts'
import type { Ending, Outcome } from '../../core/call/outcome.ts'
import { Failure } from '../../core/failure.ts'
import { changesMail, decide } from '../../core/policy/decide.ts'
import { redact } from '../../core/policy/redact.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Log } from '../../ports/log.ts'
import { perform } from '../actions/perform.ts'
import type { Workshop } from '../actions/workshop.ts'
import { withDeadline } from './deadline.ts'
import type { Limits } from './limits.ts'
import { Recorder } from './recorder.ts'

export interface Call<K extends ActionKind> {
  readonly caller: Caller
  readonly tool: string
  readonly action: ActionOf<K>
  /** Aborts when the caller no longer wants the answer. */
  readonly signal: AbortSignal
}

export interface Gate {
  run<K extends ActionKind>(call: Call<K>): Promise<Outcome<K>>
}

export interface GateParts extends Omit<Workshop, 'policy' | 'signal'> {
  readonly limits: Limits
  readonly audit: AuditLog
  readonly log: Log
  /** Longest time one call may take. */
  readonly deadlineMs: number
}

export function createGate(parts: GateParts): Gate {
  const { limits, audit, clock, seal, log } = parts

  async function pass<K extends ActionKind>({ caller, tool, action, signal }: Call<K>): Promise<Ending<K>> {
    const record = new Recorder({ audit, clock, seal }, caller, tool, action)
    const decision = (await limits.admit(caller))
      ? decide(caller.policy, action)
      : ({ kind: 'deny', reason: 'rate_limited' } as const)
    if (decision.kind === 'deny') {
      await record.denied(decision)
      return { kind: 'denied', denial: decision }
    }
    if (changesMail(action)) await record.intent(decision)
    try {
      const result = await withDeadline(signal, parts.deadlineMs, (bounded) =>
        perform(action, { ...parts, policy: caller.policy, signal: bounded }),
      )
      const shown = redact(action.kind as K, result, decision.level)
      await record.done(decision, result, shown.redacted)
      return { kind: 'done', ...shown }
    } catch (error) {
      const failure = asFailure(error, tool)
      await record.failed(decision, failure)
      return { kind: 'failed', failure }
    }
  }

  function asFailure(error: unknown, tool: string): Failure {
    if (error instanceof Failure) {
      log.info({ tool, code: error.code, err: error }, 'a call failed')
      return error
    }
    log.error({ tool, err: error }, 'a call ended in a bug')
    return new Failure('internal', 'something went wrong inside Postern; its log says what', { cause: error })
  }

  return {
    async run<K extends ActionKind>(call: Call<K>): Promise<Outcome<K>> {
      const started = clock.elapsed()
      const ending = await pass(call).catch(
        (error): Ending<K> => ({ kind: 'failed', failure: asFailure(error, call.tool) }),
      )
      const timing = { nowUtc: new Date(clock.now()).toISOString(), durationMs: Math.round(clock.elapsed() - started) }
      return { ...ending, timing }
    },
  }
}
