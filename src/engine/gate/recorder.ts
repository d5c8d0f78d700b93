/** Writes the audit records of one call. Each method returns when its record is durable. */
import type { Action, ActionKind, ActionOf, ResultOf } from '../../core/action.ts'
import { endingOf, endingOfLetter, refusedOf } from '../../core/audit/ending.ts'
import type { AuditEntry } from '../../core/audit/record.ts'
import { summarise } from '../../core/audit/summary.ts'
import type { Caller } from '../../core/call/caller.ts'
import type { Allowance, Decision, Denial } from '../../core/decision/decide.ts'
import { Failure } from '../../core/failure.ts'
import type { SendEnding } from '../../core/send-ending.ts'
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
  readonly #sends: boolean
  #intent: number | undefined
  #isChanging = false

  constructor(parts: RecorderParts, caller: Caller, tool: string, action: ActionOf<K>) {
    this.#parts = parts
    this.#started = parts.clock.elapsed()
    this.#sends = action.kind === 'send_mail'
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
    this.#isChanging = true
    this.#intent = (await this.#write(decision, { result: 'INTENT' })).seq
  }

  async done(decision: Allowance, result: ResultOf<K>, redacted: readonly string[]): Promise<void> {
    const { refused, others } = refusedOf(result)
    const denial: Denial = { kind: 'deny', reason: refused[0]?.denied ?? 'visibility_would_rise' }
    if (refused.length > 0 && others === 0) return this.#end(denial, { result: 'DENIED' })
    // As those would be on record had they been asked for alone.
    const summary = { args_summary: { ...this.#who.args_summary, uid: refused.map(({ uid }) => uid) } }
    if (refused.length > 0) await this.#end(denial, { result: 'DENIED', ...summary }, 'beside')
    const letter = this.#sends ? endingOfLetter(result as SendEnding, this.#who.args_summary) : {}
    await this.#end(decision, { ...endingOf(result), redacted_fields: redacted, ...letter })
  }

  /** What a call failed with that was given up at its deadline: from its intent on, nobody knows how far a change has come. */
  late(timeout: Failure): Failure {
    if (!this.#isChanging) return timeout
    const what = 'the change may have been made, but no answer came in time; look before doing it again'
    return new Failure('outcome_unknown', what, { cause: timeout })
  }

  async failed(decision: Allowance, failure: Failure): Promise<void> {
    await this.#end(decision, { result: 'ERROR', error_type: failure.code })
  }

  /** A change whose end could not be recorded must not look as if it had not happened. */
  async #end(decision: Decision, ending: Partial<AuditEntry>, which: 'last' | 'beside' = 'last'): Promise<void> {
    try {
      await this.#write(decision, ending, which)
    } catch (cause) {
      if (this.#intent === undefined) throw cause
      throw new Failure(
        'outcome_unknown',
        'the change may have been made, but its end could not be recorded; look before doing it again',
        { cause, stage: 'record' },
      )
    }
  }

  /** An intent has one end: what stands beside it does not point to the intent. */
  #write(
    decision: Decision,
    ending: Partial<AuditEntry>,
    which: 'last' | 'beside' = 'last',
  ): Promise<{ readonly seq: number }> {
    const { audit, clock } = this.#parts
    const intent = which === 'last' ? this.#intent : undefined
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
