/**
 * Shares the server among callers, and each caller's share among its accounts.
 *
 * INVARIANT: first come, first served for one caller and one account. No call waits for calls of another caller, and none is
 * kept out by calls of the same caller to other accounts: whatever they take, `RESERVED` calls to each account can run.
 * Waiting ends with the signal.
 */
import { Failure } from '../../core/failure.ts'

/** Of one caller: calls to one account, and calls to all of them. */
const PER_ACCOUNT = 16
const PER_CALLER = 64
/** Calls to one account that run although the caller has reached its total. */
const RESERVED = 2
const MOST_WAITING = 1000

interface Lane {
  running: number
  readonly waiting: Set<() => void>
}

interface CallerCalls {
  running: number
  readonly lanes: Map<string, Lane>
}

export interface QueueLimits {
  readonly perAccount: number
  readonly perCaller: number
  readonly reserved: number
}

export class CallQueue {
  readonly #callers = new Map<string, CallerCalls>()
  readonly #limits: QueueLimits

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { perAccount: PER_ACCOUNT, perCaller: PER_CALLER, reserved: RESERVED, ...limits }
  }

  /** `accounts` are those that the call is about: calls between two accounts take no place of either. */
  async run<T>(callerId: string, accounts: readonly string[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const caller = found(this.#callers, callerId, () => ({ running: 0, lanes: new Map() }))
    const name = JSON.stringify([...new Set(accounts)].sort())
    const lane = found(caller.lanes, name, () => ({ running: 0, waiting: new Set() }))
    try {
      if (lane.waiting.size > 0 || !this.#hasRoom(caller, lane)) await turn(lane, signal)
      else begin(caller, lane)
    } catch (error) {
      this.#tidy(callerId, caller, name, lane)
      throw error
    }
    try {
      return await work()
    } finally {
      caller.running -= 1
      lane.running -= 1
      this.#next(caller)
      this.#tidy(callerId, caller, name, lane)
    }
  }

  #hasRoom({ running }: CallerCalls, lane: Lane): boolean {
    const { perAccount, perCaller, reserved } = this.#limits
    return lane.running < perAccount && (running < perCaller || lane.running < reserved)
  }

  #next(caller: CallerCalls): void {
    for (const [name, lane] of [...caller.lanes]) {
      const [start] = lane.waiting
      if (start === undefined || !this.#hasRoom(caller, lane)) continue
      lane.waiting.delete(start)
      begin(caller, lane)
      // The accounts take turns: this one is last the next time.
      caller.lanes.delete(name)
      caller.lanes.set(name, lane)
      start()
    }
  }

  #tidy(callerId: string, caller: CallerCalls, name: string, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.size === 0) caller.lanes.delete(name)
    if (caller.lanes.size === 0) this.#callers.delete(callerId)
  }
}

function begin(caller: CallerCalls, lane: Lane): void {
  caller.running += 1
  lane.running += 1
}

/** Resolves when the call has been counted as running. */
function turn(lane: Lane, signal: AbortSignal): Promise<void> {
  if (lane.waiting.size >= MOST_WAITING) {
    throw new Failure('unavailable', `${MOST_WAITING} calls to this account are waiting already; try again later`)
  }
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      if (lane.waiting.delete(start)) reject(signal.reason)
    }
    const start = (): void => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    lane.waiting.add(start)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
  })
}

function found<T>(known: Map<string, T>, name: string, make: () => T): T {
  const value = known.get(name) ?? make()
  known.set(name, value)
  return value
}
