/** Writes the audit records of one call. Each method returns when its record is durable. */
import type { Action, ActionKind, ActionOf, ResultOf } from '../../core/action.ts'
import type { AuditEntry } from '../../core/audit/record.ts'
import { summarise } from '../../core/audit/summary.ts'
import type { Caller } from '../../core/call/caller.ts'
import type { Allowance, Decision, Denial } from '../../core/decision/decide.ts'
import { Failure } from '../../core/failure.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Seal } from '../../ports/seal.ts'

interface RecorderParts {
  readonly audit: AuditLog
  readonly clock: Clock
  readonly seal: Seal
}

export class Recorder<K extends ActionKind> {
  readonly #parts: RecorderParts
  readonly #who: Pick<AuditEntry, 'caller_id' | 'caller_addr' | 'tool' | 'args_summary'>
  readonly #started: number
  #intent: number | undefined

  constructor(parts: RecorderParts, caller: Caller, tool: string, action: ActionOf<K>) {
    this.#parts = parts
    this.#started = parts.clock.elapsed()
    this.#who = {
      caller_id: caller.id,
      caller_addr: caller.address,
      tool,
      args_summary: summarise(action as Action, (text) => parts.seal.digest(text)),
    }
  }

  async denied(denial: Denial): Promise<void> {
    await this.#write(denial, { result: 'DENIED' })
  }

  async intent(decision: Allowance): Promise<void> {
    this.#intent = (await this.#write(decision, { result: 'INTENT' })).seq
  }

  async done(decision: Allowance, result: ResultOf<K>, redacted: readonly string[]): Promise<void> {
    const issues = 'issues' in result ? result.issues : []
    const first = issues[0]?.code ?? null
    await this.#end(decision, {
      result: first === null ? 'OK' : wholeFailure(result) ? 'ERROR' : 'PARTIAL',
      error_type: first,
      redacted_fields: redacted,
      tx_id: 'txId' in result && typeof result.txId === 'string' ? result.txId : null,
    })
  }

  async failed(decision: Allowance, failure: Failure): Promise<void> {
    await this.#end(decision, { result: 'ERROR', error_type: failure.code })
  }

  /** A change whose end could not be recorded must not look as if it had not happened. */
  async #end(decision: Allowance, ending: Partial<AuditEntry>): Promise<void> {
    try {
      await this.#write(decision, ending)
    } catch (cause) {
      if (this.#intent === undefined) throw cause
      throw new Failure(
        'outcome_unknown',
        'the change may have been made, but its end could not be recorded; look before doing it again',
        { cause, stage: 'record' },
      )
    }
  }

  #write(decision: Decision, ending: Partial<AuditEntry>): Promise<{ readonly seq: number }> {
    const { audit, clock } = this.#parts
    const intent = this.#intent
    return audit.append({
      ts: new Date(clock.now()).toISOString(),
      ...this.#who,
      decision: decision.kind === 'allow' ? 'ALLOW' : 'DENY',
      reason: decision.reason,
      visibility_granted: decision.kind === 'allow' ? decision.level : null,
      redacted_fields: [],
      tx_id: null,
      result: 'OK',
      error_type: null,
      latency_ms: Math.round(clock.elapsed() - this.#started),
      ...ending,
      ...(intent === undefined ? {} : { intent_seq: intent }),
    })
  }
}

/** A change that came to nothing is none in part. */
function wholeFailure(result: object): boolean {
  if ('changed' in result) return result.changed === false
  return 'added' in result && 'removed' in result && result.added === false && result.removed === false
}
