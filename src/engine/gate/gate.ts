/**
 * The one way to have an action carried out.
 *
 * INVARIANT: every call is limited, decided, bounded in time, redacted and recorded, in that order. A change happens
 * only after its intent is durably on record; an answer leaves only after its record is. This is the only catch-all.
 */
import type { Action, ActionKind, ActionOf } from '../../core/action.ts'
import { type RefusedReason, refusedCall } from '../../core/audit/refused-call.ts'
import type { Caller } from '../../core/call/caller.ts'
import type { SetLimits } from '../../core/call/limits.ts'
import type { Ending, Outcome } from '../../core/call/outcome.ts'
import type { Ask } from '../../core/call/question.ts'
import { accountsIn } from '../../core/decision/action-places.ts'
import type { Allowance } from '../../core/decision/decide.ts'
import { changesMail } from '../../core/decision/needs.ts'
import { redact } from '../../core/decision/redact.ts'
import { Failure } from '../../core/failure.ts'
import type { FolderStyle } from '../../core/mailbox-path.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Log } from '../../ports/log.ts'
import type { AccountBook, Accounts } from '../accounts/accounts.ts'
import { perform } from '../actions/perform.ts'
import type { Workshop } from '../actions/workshop.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { ReadingOfCall } from '../outbox/reading.ts'
import { FactKeeper } from '../sight/fact-keeper.ts'
import { Sight } from '../sight/sight.ts'
import { CallQueue } from './call-queue.ts'
import { CALL_DEADLINE_MS, Deadline } from './deadline.ts'
import { withGoogleNames } from './google-names.ts'
import { judge } from './judge.ts'
import type { Limits } from './limits.ts'
import { Locator } from './locate.ts'
import { openedOnce } from './opened-once.ts'
import { withAccountIds, withMailboxes } from './places.ts'
import { Recorder } from './recorder.ts'

export interface Call<K extends ActionKind> {
  readonly caller: Caller
  readonly tool: string
  readonly action: ActionOf<K>
  readonly folders: FolderStyle
  /** Where its tool set has limits of its own. */
  readonly limits?: SetLimits
  /** Whether the caller need not name an account where only one could be meant. */
  readonly soleAccount?: boolean
  /** Asks the person behind the caller; absent where its program cannot. */
  readonly ask?: Ask
  /** Aborts when the caller no longer wants the answer. */
  readonly signal: AbortSignal
}

/** A call that names no action: its tool is unknown, or its arguments do not fit. */
export interface Unfit {
  readonly caller: Caller
  readonly tool: string
  readonly reason: RefusedReason
  /** Milliseconds since the call arrived. */
  readonly latencyMs: number
}

export interface Gate {
  run<K extends ActionKind>(call: Call<K>): Promise<Outcome<K>>
  /** Records a call that is refused before it can run. Throws `Failure` where that cannot be recorded. */
  refuse(unfit: Unfit): Promise<void>
}

export interface GateParts extends Pick<Workshop, 'content' | 'files' | 'seal' | 'clock' | 'transfers'> {
  readonly outbox: Pick<Outbox, 'send' | 'heldBack' | 'noteReading' | 'noteLeaving'>
  readonly accounts: Accounts
  readonly limits: Limits
  readonly audit: AuditLog
  readonly log: Log
  /** By when every call is answered, where its tool set does not say. */
  readonly deadlineMs?: number
}

export function createGate(parts: GateParts): Gate {
  return new GuardedDoor(parts)
}

class GuardedDoor implements Gate {
  readonly #parts: GateParts
  readonly #facts = new FactKeeper()
  readonly #queue = new CallQueue()

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  async run<K extends ActionKind>(call: Call<K>): Promise<Outcome<K>> {
    const { accounts, clock } = this.#parts
    const started = clock.elapsed()
    // Waiting for its turn is part of the time a call has.
    const { deadlineMs = CALL_DEADLINE_MS } = this.#parts
    const deadline = new Deadline(call.limits?.deadlineMs ?? deadlineMs, call.signal)
    // Policy and accounts are of one moment, and of the moment at which its turn has come.
    const pass = (): Promise<Ending<K>> =>
      accounts.reading((book) => this.#pass({ ...call, caller: call.caller }, book, deadline))
    const ending = await this.#accountsOf(call)
      .then((ids) => this.#queue.run(call.caller.id, ids, deadline.signal, pass))
      .catch((error: unknown) => this.#turnedDown(call, this.#asFailure(error, call.tool)))
      .finally(() => deadline.end())
    const timing = { nowUtc: new Date(clock.now()).toISOString(), durationMs: Math.round(clock.elapsed() - started) }
    return { ...ending, timing }
  }

  async refuse({ caller: { id, address }, tool, reason, latencyMs }: Unfit): Promise<void> {
    const { audit, clock } = this.#parts
    const about = { callerId: id, callerAddress: address, tool, reason, latencyMs }
    try {
      await audit.append(refusedCall(new Date(clock.now()).toISOString(), about))
    } catch (error) {
      throw this.#asFailure(error, 'a refused call')
    }
  }

  /** The accounts that a call waits for; a name that is no account's is none. */
  async #accountsOf<K extends ActionKind>({
    action,
    caller,
    folders,
    soleAccount,
  }: Call<K>): Promise<readonly string[]> {
    const book = this.#parts.accounts.current
    const meant = folders === 'places' ? await withAccountIds(action, book, caller.policy, soleAccount) : action
    return [...(await accountsIn(meant))].filter((id) => book.find(id) !== undefined)
  }

  async #pass<K extends ActionKind>(call: Call<K>, book: AccountBook, deadline: Deadline): Promise<Ending<K>> {
    const { caller, tool } = call
    const byPlace = call.folders === 'places'
    const action = byPlace ? await withAccountIds(call.action, book, caller.policy, call.soleAccount) : call.action
    const record = new Recorder(this.#parts, caller, tool, action)
    let allowance: Allowance | undefined
    const onAllowed = (provisional: Allowance): void => {
      allowance = provisional
    }
    const { signal } = deadline
    try {
      const ending = await deadline.within(() => this.#carryOut({ ...call, action, signal }, book, record, onAllowed))
      if (ending.kind === 'denied') await record.denied(ending.denial)
      else if (ending.kind === 'done') await record.done(ending.allowance, ending.result, ending.redacted)
      return ending
    } catch (error) {
      const failure = this.#asFailure(error === deadline.late ? record.late(deadline.late) : error, tool)
      await record.failed(allowance ?? UNDECIDED, failure)
      return { kind: 'failed', failure, allowance }
    }
  }

  /** `onAllowed` hears what is allowed as soon as anything is, for the record of a call that fails later. */
  async #carryOut<K extends ActionKind>(
    call: Call<K>,
    book: AccountBook,
    record: Recorder<K>,
    onAllowed: (allowance: Allowance) => void,
  ): Promise<Ending<K>> {
    const { caller, tool, action, folders, signal } = call
    const waitMs = await this.#parts.limits.admit(caller, tool, call.limits)
    if (waitMs > 0) return { kind: 'denied', denial: { kind: 'deny', reason: 'rate_limited', waitMs } }
    const { action: named, policy } = await withGoogleNames(action, caller.policy, book, signal)
    const workshop = this.#workshop({ ...call, caller: { ...caller, policy } }, book)
    const locator = new Locator(book, folders, policy, signal)
    const meant = folders === 'places' ? await withMailboxes(named, book, policy, signal) : named
    const { decision, action: judged } = await judge({ policy, action: meant, workshop, locator, onAllowed })
    if (decision.kind === 'deny') return { kind: 'denied', denial: decision }
    onAllowed(decision)
    signal.throwIfAborted()
    if (changesMail(action)) await record.intent(decision)
    // A call that has been answered by now must change nothing any more.
    signal.throwIfAborted()
    await this.#noteLeaving(caller, action)
    const result = await perform(judged as ActionOf<K>, workshop, decision.level)
    await this.#noteReading(caller, workshop)
    return { kind: 'done', ...redact(action.kind as K, result, decision, caller.uncertain), allowance: decision }
  }

  #workshop({ caller, ask, signal }: Pick<Call<ActionKind>, 'caller' | 'ask' | 'signal'>, book: AccountBook): Workshop {
    const { content, files, transfers, outbox, seal, clock, log } = this.#parts
    const sight = new Sight(caller.policy, this.#facts, clock)
    const opened = openedOnce(book, signal)
    const own = { callerId: caller.id, sight, sendRules: caller.policy.send, reading: new ReadingOfCall(), ask }
    return { accounts: book, content, files, seal, clock, log, ...own, opened, transfers, outbox, signal }
  }

  /** What whoever may send has read is known before it can be sent. */
  async #noteReading({ id, policy }: Caller, { reading }: Workshop): Promise<void> {
    if (policy.send.allowed && reading.all.length > 0) await this.#parts.outbox.noteReading(id, reading.all)
  }

  /** A word that hangs on a message is read by whoever lists it. */
  async #noteLeaving({ id, policy }: Caller, action: Action): Promise<void> {
    const tagged = action.kind === 'tag_message' || action.kind === 'change_labels' || action.kind === 'update_flags'
    const many = action.kind === 'mark_many' && action.change.kind === 'tag_message'
    const account = tagged ? action.message.account : many ? action.from.account : undefined
    if (account !== undefined && policy.send.allowed) await this.#parts.outbox.noteLeaving(id, account)
  }

  /** One that never got its turn is on record too. */
  async #turnedDown<K extends ActionKind>({ caller, tool, action }: Call<K>, failure: Failure): Promise<Ending<K>> {
    const record = new Recorder(this.#parts, caller, tool, action)
    await record.failed(UNDECIDED, failure).catch(() => undefined)
    return { kind: 'failed', failure, allowance: undefined }
  }

  #asFailure(error: unknown, tool: string): Failure {
    const { log } = this.#parts
    if (error instanceof Failure) {
      log.info({ tool, code: error.code, err: error }, 'a call failed')
      return error
    }
    log.error({ tool, err: error }, 'a call ended in a bug')
    return new Failure('internal', 'something went wrong inside Postern; its log says what', { cause: error })
  }
}

/** For the record of a call that failed before anything could be decided. */
const UNDECIDED: Allowance = { kind: 'allow', reason: 'folder_default_applied', level: 'NONE' }
