/**
 * The sessions of one account.
 *
 * INVARIANT: at most `max` sessions are lent or being opened, and no more are kept; one is lent to one user at a time; who
 * waits is served first come, first served, and always answered. Where the server takes fewer, those that it takes are shared.
 */
import type { Failure } from '../../core/failure.ts'
import { abortFailure, senderClosed } from './failures.ts'
import type { Session } from './session.ts'

export interface SessionsOptions {
  readonly max: number
  readonly idleCloseMs: number
  open(signal: AbortSignal): Promise<Session>
}

export interface Lent {
  session: Session
  /** It has lain unused: nobody knows whether the server is still there. */
  readonly reused: boolean
}

interface Waiter {
  serve(): void
  refuse(failure: Failure): void
  /** Why it has no session of its own, where it was one too many. */
  readonly tooMany: Failure | undefined
}

export class Sessions {
  readonly #options: SessionsOptions
  readonly #waiters: Waiter[] = []
  readonly #lent = new Set<Session>()
  readonly #idle: { readonly session: Session; readonly timer: NodeJS.Timeout }[] = []
  readonly #closing = new AbortController()
  #taken = 0
  /** As many as the server takes, as far as is known. */
  #most: number

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#most = options.max
  }

  /** Must be given back with `release`. */
  async lend(signal: AbortSignal): Promise<Lent> {
    await this.#takePlace(signal)
    for (;;) {
      const kept = this.#takeIdle()
      try {
        const session = kept ?? (await this.#open(signal))
        this.#lent.add(session)
        return { session, reused: kept !== undefined }
      } catch (error) {
        if (!this.#isOneTooMany(error as Failure)) {
          this.#giveUp()
          throw error
        }
        await this.#shareWithOthers(error as Failure, signal)
      }
    }
  }

  /** Puts one that has just been opened in place of one that has died. The idle ones are most likely dead as well. */
  async renew(lent: Lent, signal: AbortSignal): Promise<void> {
    this.#lent.delete(lent.session)
    this.#dropIdle()
    lent.session = await this.#open(signal)
    this.#lent.add(lent.session)
  }

  release({ session }: Lent): void {
    this.#lent.delete(session)
    if (!session.dead) this.#keep(session)
    this.#leavePlace()
  }

  close(): void {
    this.#closing.abort(senderClosed())
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(senderClosed())
    for (const session of this.#lent) session.destroy(senderClosed())
    this.#dropIdle()
  }

  #dropIdle(): void {
    for (let idle = this.#takeIdle(); idle !== undefined; idle = this.#takeIdle()) idle.quit()
  }

  /** Many servers take but a few connections of one user, and say to one more what they say, or not, when they take none. */
  #isOneTooMany({ code, stage }: Failure): boolean {
    const isRefused = stage === 'connect' && (code === 'unavailable' || code === 'rejected' || code === 'timeout')
    return isRefused && (this.#taken > 1 || this.#idle.length > 0)
  }

  /** Its place goes, and it waits for one of those that are left, before all who have not tried yet. */
  async #shareWithOthers(tooMany: Failure, signal: AbortSignal): Promise<void> {
    const isOneFree = this.#idle.length > 0
    if (!isOneFree) this.#taken -= 1
    this.#most = this.#taken
    if (!isOneFree) await this.#wait(signal, tooMany)
  }

  /** Where nobody has a session, those who hoped for one would only hear the same again, one after the other. */
  #giveUp(): void {
    const isLast = this.#taken === 1
    for (let [next] = this.#waiters; isLast && next?.tooMany !== undefined; [next] = this.#waiters) {
      this.#waiters.shift()
      next.refuse(next.tooMany)
    }
    this.#leavePlace()
  }

  async #open(signal: AbortSignal): Promise<Session> {
    const closing = this.#closing.signal
    try {
      const session = await this.#options.open(AbortSignal.any([signal, closing]))
      if (closing.aborted) session.destroy(senderClosed())
      return session
    } catch (error) {
      this.#refuseAlike(error as Failure)
      throw closing.aborted && !signal.aborted ? senderClosed() : error
    }
  }

  /** Refused credentials are refused to all who wait: trying them again and again would lock the account. */
  #refuseAlike(failure: Failure): void {
    if (failure.code !== 'auth_failed') return
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(failure)
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    if (this.#closing.signal.aborted) throw senderClosed()
    if (signal.aborted) throw abortFailure(signal)
    if (this.#taken < this.#most) this.#taken += 1
    else await this.#wait(signal)
  }

  async #wait(signal: AbortSignal, tooMany?: Failure): Promise<void> {
    let onAbort = (): void => undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = { serve: resolve, refuse: reject, tooMany }
        onAbort = (): void => {
          const at = this.#waiters.indexOf(waiter)
          if (at !== -1) this.#waiters.splice(at, 1)
          if (at !== -1) reject(abortFailure(signal))
        }
        signal.addEventListener('abort', onAbort, { once: true })
        const behind = tooMany && this.#waiters.findIndex((other) => other.tooMany === undefined)
        this.#waiters.splice(behind === undefined || behind === -1 ? this.#waiters.length : behind, 0, waiter)
      })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Handed on to whoever waits longest. Once nobody sends, the server may be asked for more again. */
  #leavePlace(): void {
    const next = this.#waiters.shift()
    if (next === undefined) this.#taken -= 1
    else next.serve()
    if (this.#taken === 0) this.#most = this.#options.max
  }

  #keep(session: Session): void {
    const forget = (): void => {
      const at = this.#idle.findIndex((idle) => idle.session === session)
      if (at !== -1) clearTimeout(this.#idle.splice(at, 1)[0]?.timer)
    }
    const timer = setTimeout(() => {
      forget()
      session.quit()
    }, this.#options.idleCloseMs)
    timer.unref()
    session.onEnd = forget
    this.#idle.push({ session, timer })
  }

  /** The one used last: it is the likeliest to live. */
  #takeIdle(): Session | undefined {
    const { session, timer } = this.#idle.pop() ?? {}
    clearTimeout(timer)
    if (session !== undefined) session.onEnd = () => undefined
    return session
  }
}
