/**
 * Takes a batch of transfers as far as they go now. The first try and every later one run this same code.
 *
 * INVARIANT: what happened is in the journal before the next thing happens. A message is sent only where it is known not
 * to have arrived; its original is touched only after the copy was read back and is the same, but for line
 * ends.
 */
import { Failure } from '../../core/failure.ts'
import { next, type Step, stepOf, type TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Journal, Recorded } from '../../ports/journal.ts'
import type { Spool } from '../../ports/spool.ts'
import type { Account } from '../accounts/accounts.ts'
import { inTurns, sizeOf } from './batches.ts'
import { fenceStep } from './fence-step.ts'
import { fetchStep } from './fetch-step.ts'
import { removeStep } from './remove-step.ts'
import { sendStep } from './send-step.ts'
import { transferError } from './transfer-error.ts'

export interface PassageParts {
  readonly source: Account
  readonly destination: Account
  readonly journal: Journal
  readonly spool: Spool
  readonly clock: Clock
  /** SHA-256 in hex. */
  digest(bytes: Uint8Array): string
  readonly retryLimit: number
  /** How long a server may still be busy with what was sent before. */
  readonly settleMs: number
  /** When it no longer can be, by the id of the transfer; absent where this process does not know what was sent when. */
  readonly settledAt: Map<string, number>
  /** What the server said of the sizes, where somebody has asked it before. */
  readonly sizes: ReadonlyMap<string, number>
  readonly signal: AbortSignal
}

/** What a step found out about each transfer; one that is not named stays as it is. */
export type Findings = ReadonlyMap<string, TransferEvent>

export interface StepCase extends PassageParts {
  /** All of one source folder and one destination folder. */
  readonly batch: readonly Transfer[]
  /** Those whose destination was looked at in this passage: nothing of them can have been sent before. */
  readonly fresh: ReadonlySet<string>
  /** Those whose copy was read back in this passage. */
  readonly proven: ReadonlySet<string>
  /** The bytes that were fetched in this passage and not sent yet. */
  readonly held: Map<string, Uint8Array>
}

export type TransferStep = (about: StepCase) => Promise<Findings>

const STEPS: { readonly [K in Exclude<Step, 'none' | 'commit'>]: TransferStep } = {
  fetch: fetchStep,
  fence: fenceStep,
  send: sendStep,
  remove: removeStep,
}

const ORDER = ['fetch', 'fence', 'send', 'remove', 'commit'] as const

type OnStep = (before: Transfer, after: Transfer) => Promise<void>

/** The transfers as they are afterwards: final, or left where they failed. */
export async function pass(
  batch: readonly Transfer[],
  parts: PassageParts,
  onStep: OnStep,
): Promise<readonly Transfer[]> {
  const current = new Map(batch.map((transfer) => [transfer.txId, transfer]))
  const stopped = new Set<string>()
  const fresh = new Set<string>()
  const proven = new Set<string>()
  const held = new Map<string, Uint8Array>()
  const take = async (step: (typeof ORDER)[number], due: readonly Transfer[]): Promise<void> => {
    const about = { ...parts, batch: due, fresh, proven, held }
    const findings = step === 'commit' ? committed(due, parts.clock.now()) : await find(step, about)
    const at = parts.clock.now()
    const recorded = due.flatMap((before) => {
      const event = findings.get(before.txId)
      return event === undefined ? [] : [{ before, event, after: next(before, event, parts.retryLimit), at }]
    })
    // On record first: a process that ends between the two may tell of a step twice, but never keeps one to itself.
    await Promise.all(recorded.map(({ before, after }) => onStep(before, after)))
    const done = (await written(recorded, parts.journal)) ? recorded : await putOff(due, findings, parts, onStep)
    for (const { event, after } of done) {
      current.set(after.txId, after)
      if (event.kind === 'fenced') fresh.add(after.txId)
      if (event.kind === 'staged') proven.add(after.txId)
      if (event.kind === 'failed' || event.kind === 'escalated' || event.kind === 'refused') stopped.add(after.txId)
    }
    for (const { txId } of due) if (!findings.has(txId)) stopped.add(txId)
  }
  for (const step of ORDER) {
    const due = [...current.values()].filter((transfer) => !stopped.has(transfer.txId) && stepOf(transfer) === step)
    if (due.length === 0) continue
    // Only now is it known how large they are.
    for (const turn of step === 'send' ? inTurns(due, sizeOf) : [due]) await take(step, turn)
  }
  return batch.map(({ txId, ...rest }) => current.get(txId) ?? { txId, ...rest })
}

/** False where another transfer, of a message that is the same, has taken one of these arrivals for its own meanwhile. */
async function written(recorded: readonly Recorded[], journal: Journal): Promise<boolean> {
  try {
    await journal.record(recorded)
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'conflict') return false
    throw error
  }
}

/** The next try looks for all of them again. */
async function putOff(
  due: readonly Transfer[],
  findings: Findings,
  { journal, clock, retryLimit }: PassageParts,
  onStep: OnStep,
): Promise<readonly Recorded[]> {
  const steps = due.map((before) => {
    const found = findings.get(before.txId)
    const left = found !== undefined && 'unproven' in found ? { unproven: found.unproven } : {}
    const event: TransferEvent = { kind: 'failed', error: 'target_append_failed', ...left }
    return { before, event, after: next(before, event, retryLimit), at: clock.now() }
  })
  await Promise.all(steps.map(({ before, after }) => onStep(before, after)))
  await journal.record(steps)
  return steps
}

/** A step that fails as a whole fails for each of them. One that was called off says nothing about any. */
async function find(step: Exclude<Step, 'none' | 'commit'>, about: StepCase): Promise<Findings> {
  try {
    return await STEPS[step](about)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'cancelled') return new Map()
    const event = transferError(step, error)
    return new Map(about.batch.map(({ txId }) => [txId, event]))
  }
}

function committed(due: readonly Transfer[], at: number): Findings {
  return new Map(due.map(({ txId }) => [txId, { kind: 'committed', at }]))
}
