/**
 * The connections of one account.
 *
 * INVARIANT: at most `max` connections exist or are being opened; a session is lent to one user at a time; waiters are
 * served first come, first served, and every one of them is answered: with a session, or with why there is none.
 */
import type { Failure } from '../../../core/failure.ts'
import type { Log } from '../../../ports/log.ts'
import { abortFailure, sourceClosed } from '../failures.ts'

/** What the pool must know of a session. */
export interface Pooled {
  readonly dead: boolean
  selected: { readonly rawName: string } | undefined
  readonly dialogue: {
    /** Called once, when the connection ends. */
    onEnd: () => void
    close(): void
    abandon(failure: Failure): void
  }
}

export interface PoolOptions<S extends Pooled> {
  readonly max: number
  readonly idleCloseMs: number
  readonly account: string
  open(signal: AbortSignal): Promise<S>
}

interface Waiter<S> {
  readonly rawName: string | undefined
  /** How many openings had been begun by then. */
  readonly came: number
  resolve(session: S): void
  reject(failure: Failure): void
}

interface Idle<S> {
  readonly session: S
  readonly timer: NodeJS.Timeout
}

export interface PoolSize {
  readonly open: number
  /** Those of them that are lent. */
  readonly busy: number
  /** Beside them: those that listen for new mail. */
  readonly watching: number
}

/** After a server took no further connection, so long only those at hand are used. */
const FULL_MS = 30_000

export class Pool<S extends Pooled> {
  readonly #options: PoolOptions<S>
  readonly #log: Log
  #waiters: Waiter<S>[] = []
  readonly #openings = new Set<AbortController>()
  readonly #lent = new Set<S>()
  #idle: Idle<S>[] = []
  #fullUntil = 0
  #begun = 0
  #watching = 0
  #closed = false

  constructor(options: PoolOptions<S>, log: Log) {
    this.#options = options
    this.#log = log
  }

  /** A session, best one that has that mailbox open. Must be given back with `release`. */
  async acquire(rawName: string | undefined, signal: AbortSignal): Promise<S> {
    if (this.#closed) throw sourceClosed()
    if (signal.aborted) throw abortFailure(signal)
    let onAbort = (): void => undefined
    try {
      return await new Promise<S>((resolve, reject) => {
        const waiter: Waiter<S> = { rawName, came: this.#begun, resolve, reject }
        onAbort = (): void => this.#withdraw(waiter, abortFailure(signal))
        signal.addEventListener('abort', onAbort, { once: true })
        this.#waiters.push(waiter)
        this.#serve()
      })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  release(session: S): void {
    this.#lent.delete(session)
    if (this.#closed) session.dialogue.abandon(sourceClosed())
    else if (!session.dead) this.#keep(session)
    this.#serve()
  }

  /** The connections of this moment. */
  get size(): PoolSize {
    return { open: this.#lent.size + this.#idle.length, busy: this.#lent.size, watching: this.#watching }
  }

  /** Counts one that is never lent: it only listens. */
  async watching(opening: Promise<S>): Promise<S> {
    const session = await opening
    if (session.dead) return session
    this.#watching += 1
    session.dialogue.onEnd = () => {
      this.#watching -= 1
    }
    return session
  }

  /** Closes the idle connections: one of them was found dead, so the others probably are as well. */
  dropIdle(): void {
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      session.dialogue.close()
    }
  }

  /** After a change: what idle connections know of their mailboxes is out of date. */
  forgetSelections(): void {
    for (const { session } of this.#idle) session.selected = undefined
  }

  close(): void {
    this.#closed = true
    for (const waiter of this.#waiters.splice(0)) waiter.reject(sourceClosed())
    for (const opening of this.#openings) opening.abort()
    for (const session of this.#lent) session.dialogue.abandon(sourceClosed())
    this.dropIdle()
  }

  #keep(session: S): void {
    const timer = setTimeout(() => {
      this.#forget(session)
      session.dialogue.close()
    }, this.#options.idleCloseMs)
    timer.unref()
    session.dialogue.onEnd = () => this.#forget(session)
    this.#idle.push({ session, timer })
  }

  #forget(session: S): void {
    const found = this.#idle.find((idle) => idle.session === session)
    if (found === undefined) return
    clearTimeout(found.timer)
    this.#idle = this.#idle.filter((idle) => idle !== found)
  }

  /** Hands idle sessions to waiters and opens as many more as are wanted and allowed. */
  #serve(): void {
    while (this.#waiters.length > 0 && this.#idle.length > 0) {
      const waiter = this.#waiters.shift()
      const session = this.#takeIdle(waiter?.rawName)
      if (waiter === undefined || session === undefined) return
      this.#lend(session, waiter)
    }
    const full = performance.now() < this.#fullUntil && this.#lent.size + this.#openings.size > 0
    const room = full ? 0 : this.#options.max - this.#lent.size - this.#idle.length - this.#openings.size
    const wanted = this.#waiters.length - this.#openings.size
    for (let count = Math.min(room, wanted); count > 0; count -= 1) void this.#open()
  }

  /** The one that has the mailbox open, else the one unused longest. */
  #takeIdle(rawName: string | undefined): S | undefined {
    const match = this.#idle.find(({ session }) => rawName !== undefined && session.selected?.rawName === rawName)
    const { session } = match ?? this.#idle[0] ?? {}
    if (session !== undefined) this.#forget(session)
    return session
  }

  #lend(session: S, waiter: Waiter<S>): void {
    this.#lent.add(session)
    session.dialogue.onEnd = () => undefined
    waiter.resolve(session)
  }

  async #open(): Promise<void> {
    const opening = new AbortController()
    this.#openings.add(opening)
    this.#begun += 1
    const number = this.#begun
    try {
      const session = await this.#options.open(opening.signal)
      this.#openings.delete(opening)
      this.#arrived(session)
    } catch (error) {
      this.#openings.delete(opening)
      // One that was given up says nothing about the server.
      if (!opening.signal.aborted) this.#failed(error as Failure, number)
    }
    this.#serve()
  }

  #arrived(session: S): void {
    const waiter = this.#waiters.shift()
    if (this.#closed) session.dialogue.close()
    else if (waiter === undefined) this.#keep(session)
    else this.#lend(session, waiter)
  }

  /**
   * Refused credentials are refused to all who wait: trying them again and again would lock the account. Else it is the failure
   * of those who waited when it was begun; a line that was cut before others came is none of theirs.
   */
  #failed(failure: Failure, number: number): void {
    const others = this.#lent.size + this.#openings.size
    if (failure.code !== 'auth_failed' && others > 0) {
      // Nobody opens one more before it is known what becomes of those.
      this.#fullUntil = performance.now() + FULL_MS
      this.#log.debug({ account: this.#options.account, code: failure.code }, 'no further imap connection')
      return
    }
    const concerned = this.#waiters.filter(({ came }) => failure.code === 'auth_failed' || came < number)
    this.#waiters = this.#waiters.filter((waiter) => !concerned.includes(waiter))
    for (const waiter of concerned) waiter.reject(failure)
  }

  #withdraw(waiter: Waiter<S>, failure: Failure): void {
    const index = this.#waiters.indexOf(waiter)
    if (index === -1) return
    this.#waiters.splice(index, 1)
    waiter.reject(failure)
    // Nobody is left to use it.
    const spare = this.#openings.size > this.#waiters.length ? [...this.#openings].at(-1) : undefined
    if (spare === undefined) return
    this.#openings.delete(spare)
    spare.abort()
  }
}
