/**
 * Moves and copies mail between accounts.
 *
 * INVARIANT: every transfer is in the journal before anything is done about it, and stays with this process until it is
 * final or the process ends. At every moment the message exists at least once, and exactly once at the end.
 */

import { sagaTransition } from '../../core/audit/events.ts'
import { spelled } from '../../core/mailbox-path.ts'
import { isFinal, next, type TransferEvent } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import { unlessAborted } from '../../core/unless-aborted.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Journal } from '../../ports/journal.ts'
import type { Log } from '../../ports/log.ts'
import type { Spool } from '../../ports/spool.ts'
import type { AccountBook, Accounts } from '../accounts/accounts.ts'
import { SETTLE_MS } from './arrivals.ts'
import { backOff } from './back-off.ts'
import { batchesOf } from './batches.ts'
import { absent, notStuck, takenElsewhere, unlessDecided } from './not-decided.ts'
import { type Order, ordered, sizesOf } from './order.ts'
import { pass } from './passage.ts'
import { isAskedAgain } from './same-order.ts'

export interface TransfersParts {
  readonly accounts: Accounts
  readonly journal: Journal
  readonly spool: Spool
  readonly clock: Clock
  readonly audit: AuditLog
  readonly log: Log
  digest(bytes: Uint8Array): string
  newId(): string
  /** How many failures are tried again before a person has to look. */
  readonly retryLimit: number
  /** After a failure it is tried again so much later; the last one holds for all that follow. */
  readonly backOffMs?: readonly number[]
  /** How long a server may still be busy with what was sent before. */
  readonly settleMs?: number
  /** Told of those that have come to need a person, together where they came to it together. */
  onStuck?(transfers: readonly Transfer[]): void
}

const MOST_LISTED = 1000
/** Batches of one order under way together. */
const AT_ONCE = 2
/** One try of a batch, whoever waits for it. */
const PATIENCE_MS = 120_000
/** What another process has is looked at again so much later: it may have ended meanwhile. */
const ELSEWHERE_MS = 10_000

export class Transfers {
  readonly #parts: TransfersParts
  /** Those that are carried here, each with the moment at which it is let go of. */
  readonly #running = new Map<string, Promise<void>>()
  /** Those that have failed and whose time to be tried again has not come. */
  readonly #waiting = new Set<string>()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** When a server can no longer be busy with what was sent of each, on the clock. */
  readonly #settledAt = new Map<string, number>()
  readonly #ending = new AbortController()
  /** Passes under way, whether or not a call still waits for them. */
  readonly #passes = new Set<Promise<unknown>>()
  #claiming: Promise<unknown> = Promise.resolve()

  constructor(parts: TransfersParts) {
    this.#parts = parts
  }

  /**
   * Carries the messages now, as far as they go; what fails on the way is tried again later. In the order of the uids. When the
   * signal aborts they are given as they stand, and carrying them goes on.
   */
  async carry(asked: Order, book: AccountBook, signal: AbortSignal): Promise<readonly Transfer[]> {
    // One message has one name in the journal.
    const order = { ...asked, from: spelled(asked.from), to: spelled(asked.to) }
    const createdAt = this.#parts.clock.now()
    const known = await this.#underWay(order)
    const transfers = order.uids
      .filter((uid) => !known.has(uid))
      .map((uid) => ordered(order, uid, this.#parts.newId(), createdAt))
    // From the first moment, so that nobody here takes it for something left behind.
    for (const { txId } of transfers) this.#running.set(txId, Promise.resolve())
    await this.#parts.journal.begin(transfers).catch((error: unknown) => {
      for (const { txId } of transfers) this.#running.delete(txId)
      throw error
    })
    const pass = this.#tracked(
      this.#parts.accounts.reading(() => this.#run(transfers, book, sizesOf(order, transfers))),
    )
    const carried = (await unlessAborted(pass, signal)) ?? (await this.#standing(transfers))
    const byUid = new Map([...known.values(), ...transfers, ...carried].map((one) => [one.source.uid, one]))
    return order.uids.flatMap((uid) => byUid.get(uid) ?? [])
  }

  /**
   * Whoever asks for the same again, because no answer came, gets the one that is under way; or the one that needs a
   * person, where its copy may be at the destination already or would get there beside another.
   */
  async #underWay(order: Order): Promise<ReadonlyMap<number, Transfer>> {
    const { journal } = this.#parts
    // In this order: one that comes to need a person meanwhile is in both.
    const open = await journal.unfinished()
    const stuck = (await journal.stuck()).filter(({ operation, fence }) => operation === 'copy' || fence !== undefined)
    const same = [...open, ...stuck].filter((one) => isAskedAgain(one, order))
    return new Map(same.map((one) => [one.source.uid, one]))
  }

  async #standing(transfers: readonly Transfer[]): Promise<readonly Transfer[]> {
    return Promise.all(transfers.map(async (one) => (await this.#parts.journal.get(one.txId)) ?? one))
  }

  #tracked<T>(pass: Promise<T>): Promise<T> {
    this.#passes.add(pass)
    const over = (): unknown => this.#passes.delete(pass)
    pass.then(over, (error: unknown) => {
      over()
      this.#parts.log.error({ err: error }, 'a pass of transfers failed')
    })
    return pass
  }

  async find(txId: string): Promise<Transfer | undefined> {
    return this.#parts.journal.get(txId)
  }

  /** Those under way and those that need a person, or all of them, newest first. */
  async list(all: boolean): Promise<readonly Transfer[]> {
    const { journal } = this.#parts
    return all ? journal.list(MOST_LISTED) : [...(await journal.stuck()), ...(await journal.unfinished())]
  }

  /** For an operator: one that needs a person is tried again from where it stands. */
  async retry(txId: string): Promise<Transfer> {
    const [reopened] = await this.#decided(txId, { kind: 'retried' })
    if (reopened === undefined) throw absent()
    await this.resume()
    // Another pass may have taken it up first.
    await this.#running.get(txId)
    return (await this.#parts.journal.get(txId)) ?? reopened
  }

  /** The same for all that need a person; those that somebody else has just decided about are left to them. */
  async retryAll(): Promise<readonly Transfer[]> {
    const reopened: Transfer[] = []
    for (const { txId } of await this.#parts.journal.stuck()) {
      reopened.push(...(await this.#decided(txId, { kind: 'retried' }).catch(unlessDecided)))
    }
    await this.resume()
    await Promise.all(reopened.map(({ txId }) => this.#running.get(txId)))
    return this.#standing(reopened)
  }

  /** For an operator: nothing more is done about it, and what is where stays there. */
  async abandon(txId: string): Promise<Transfer> {
    const [abandoned] = await this.#decided(txId, { kind: 'abandoned' })
    if (abandoned === undefined) throw absent()
    await this.#parts.spool.remove([txId])
    return abandoned
  }

  async #decided(txId: string, event: TransferEvent): Promise<readonly Transfer[]> {
    await this.#stuck(txId)
    // What is claimed before that would be let go of by whoever has just carried it.
    await this.#running.get(txId)
    const ours = await this.#parts.journal.claim([txId])
    if (ours.length === 0) throw takenElsewhere()
    return this.#record([await this.#stuck(txId)], event)
  }

  async #stuck(txId: string): Promise<Transfer> {
    const transfer = await this.#parts.journal.get(txId)
    if (transfer === undefined) throw absent()
    if (transfer.status === 'needs_operator') return transfer
    throw notStuck(transfer)
  }

  /**
   * Goes on with what a process left unfinished that is no longer there, and with what has to be tried again. Transfers between
   * other accounts are not waited for: a server that hangs holds up only its own.
   */
  async resume(): Promise<void> {
    const claimed = this.#claiming.then(() => this.#claimed())
    this.#claiming = claimed.catch(() => undefined)
    try {
      const ways = Map.groupBy(await claimed, ([first]) => `${first?.source.account} ${first?.destination.account}`)
      await Promise.all([...ways.values()].map((batches) => this.#tracked(this.#inOrder(batches))))
    } catch (error) {
      this.#parts.log.error({ err: error }, 'unfinished transfers could not be resumed')
    }
  }

  async close(): Promise<void> {
    this.#ending.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#claiming
    await Promise.allSettled([...this.#passes])
    await this.#parts.journal.close()
  }

  /** Those that nobody carries, in batches; ours from this moment on. */
  async #claimed(): Promise<readonly (readonly Transfer[])[]> {
    const open = await this.#parts.journal.unfinished()
    await this.#sweep(new Set(open.map(({ txId }) => txId)))
    const unfinished = open.filter(({ txId }) => !this.#running.has(txId) && !this.#waiting.has(txId))
    const ours = await this.#parts.journal.claim(unfinished.map(({ txId }) => txId))
    if (ours.length < unfinished.length) this.#resumeIn(ELSEWHERE_MS)
    // Read again: whoever had it may have gone further before it let go.
    const read = await Promise.all(ours.map((txId) => this.#parts.journal.get(txId)))
    const found = read.filter((transfer) => transfer !== undefined)
    const claimed = found.filter((transfer) => !isFinal(transfer))
    // What came to its end meanwhile is nobody's, or an operator could not decide about it.
    await this.#parts.journal.release(found.filter(isFinal).map(({ txId }) => txId))
    if (this.#ending.signal.aborted) return []
    for (const { txId } of claimed) this.#running.set(txId, Promise.resolve())
    return batchesOf(claimed)
  }

  async #inOrder(batches: readonly (readonly Transfer[])[]): Promise<void> {
    const waiting = [...batches]
    try {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
        if (this.#ending.signal.aborted) return
        const some = batch
        await this.#parts.accounts.reading((book) => this.#run(some, book))
      }
    } finally {
      // After a failure of ours the next pass takes them up.
      for (const { txId } of waiting.flat()) this.#running.delete(txId)
    }
  }

  /** Whoever ended between the last step and this left its files. */
  async #sweep(open: ReadonlySet<string>): Promise<void> {
    try {
      await this.#parts.spool.keepOnly(open)
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'files of transfers that are over could not be removed')
    }
  }

  async #run(
    transfers: readonly Transfer[],
    book: AccountBook,
    sizes: ReadonlyMap<string, number> = new Map(),
  ): Promise<readonly Transfer[]> {
    const over = Promise.withResolvers<void>()
    for (const { txId } of transfers) this.#running.set(txId, over.promise)
    const ended: Transfer[] = []
    try {
      // While one batch is being sent, the next is fetched.
      const waiting = [...batchesOf(transfers)]
      const work = async (): Promise<void> => {
        for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
          ended.push(...(await this.#runBatch(batch, book, sizes)))
        }
      }
      const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
      const failed = settled.find((one) => one.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    } finally {
      await this.#letGo(transfers, ended).finally(over.resolve)
    }
    const stuck = ended.filter(({ status }) => status === 'needs_operator')
    if (stuck.length > 0) this.#parts.onStuck?.(stuck)
    return ended
  }

  async #letGo(transfers: readonly Transfer[], ended: readonly Transfer[]): Promise<void> {
    const final = new Set(ended.filter(isFinal).map(({ txId }) => txId))
    const unfinished = transfers.filter(({ txId }) => !final.has(txId))
    // Before anybody else may take it for something left behind.
    this.#later(unfinished, ended)
    for (const { txId } of unfinished) this.#running.delete(txId)
    for (const txId of final) this.#settledAt.delete(txId)
    try {
      await this.#parts.spool.remove([...final])
      await this.#parts.journal.release([...final])
    } finally {
      for (const txId of final) this.#running.delete(txId)
    }
  }

  async #runBatch(
    batch: readonly Transfer[],
    book: AccountBook,
    sizes: ReadonlyMap<string, number>,
  ): Promise<readonly Transfer[]> {
    const [first] = batch
    if (first === undefined) return []
    const { journal, spool, clock, digest, retryLimit, settleMs = SETTLE_MS } = this.#parts
    const [source, destination] = [book.find(first.source.account), book.find(first.destination.account)]
    // An account may have left the configuration since.
    if (source === undefined || destination === undefined)
      return this.#record(batch, { kind: 'failed', error: 'target_unreachable' })
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(PATIENCE_MS)])
    const settling = { settleMs, settledAt: this.#settledAt }
    const parts = { source, destination, journal, spool, clock, digest, retryLimit, ...settling, sizes, signal }
    return pass(batch, parts, (before, after) => this.#onStep(before, after))
  }

  async #record(batch: readonly Transfer[], event: TransferEvent): Promise<readonly Transfer[]> {
    const at = this.#parts.clock.now()
    const steps = batch.map((before) => ({ before, event, after: next(before, event, this.#parts.retryLimit), at }))
    await Promise.all(steps.map(({ before, after }) => this.#onStep(before, after)))
    await this.#parts.journal.record(steps)
    return steps.map(({ after }) => after)
  }

  /** Each end of a transfer is on record. */
  async #onStep(before: Transfer, after: Transfer): Promise<void> {
    if (before.status === after.status) return
    const ts = new Date(this.#parts.clock.now()).toISOString()
    const { txId, status, lastError } = after
    const source = { account: after.source.account, folder: after.source.mailbox, uid: after.source.uid }
    const target = { account: after.destination.account, folder: after.destination.mailbox }
    // What was overcome is not what this step came to.
    const isBad = status === 'aborted' || status === 'needs_operator'
    const why = isBad && lastError !== undefined ? { failed: lastError } : {}
    await this.#parts.audit.append(sagaTransition(ts, { txId, step: status, source, target, ...why }))
  }

  /** Each has a time of its own: a pass that happens earlier, for the sake of others, is none of its tries. */
  #later(unfinished: readonly Transfer[], ended: readonly Transfer[]): void {
    const now = new Map([...unfinished, ...ended].map((transfer) => [transfer.txId, transfer]))
    const byDelay = Map.groupBy(unfinished, ({ txId }) =>
      backOff(now.get(txId)?.retryCount ?? 0, this.#parts.backOffMs),
    )
    for (const [ms, some] of byDelay) {
      for (const { txId } of some) this.#waiting.add(txId)
      this.#resumeIn(ms, some)
    }
  }

  #resumeIn(ms: number, waiting: readonly Transfer[] = []): void {
    if (this.#ending.signal.aborted) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      for (const { txId } of waiting) this.#waiting.delete(txId)
      void this.resume()
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }
}
