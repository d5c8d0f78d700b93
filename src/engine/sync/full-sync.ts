/**
 * Brings the mirror of a whole account to where its server is: first what listings show of all folders, then what their
 * messages are found by.
 *
 * INVARIANT: what goes wrong with one folder is reported and stops no other.
 */
import { Failure } from '../../core/failure.ts'
import type { FolderState } from '../../core/mirror/state.ts'
import type { Claims } from './claims.ts'
import { inOrder } from './folder-order.ts'
import { indexFolder } from './index-folder.ts'
import { type LastReport, Meter, type OnProgress, type SyncProgress } from './progress.ts'
import { pullFolder } from './pull-folder.ts'
import { isIndexed, isSame } from './standing.ts'
import { stopped } from './stopped.ts'
import type { SyncParts } from './sync-parts.ts'

export type SyncReport =
  /** Another process is at it. */
  | { readonly kind: 'busy' }
  | {
      readonly kind: 'done'
      readonly folders: readonly FolderReport[]
      /** Folders that are no longer there, and nothing of them either. */
      readonly dropped: readonly string[]
      readonly seconds: number
    }

export interface FolderReport {
  readonly mailbox: string
  /** How many messages were fetched, and how many made findable, in this run. */
  readonly fetched: number
  readonly indexed: number
  /** How many the mirror holds. */
  readonly kept: number
  readonly failure?: Failure
}

/** So many make it worth the time to put the index in order. */
const MUCH = 5000

interface Tally {
  fetched: number
  indexed: number
  failure?: Failure
}

export class FullSync {
  readonly #parts: SyncParts
  readonly #claims: Claims
  readonly #onProgress: OnProgress
  readonly #signal: AbortSignal
  readonly #last: LastReport = { at: Number.NEGATIVE_INFINITY }
  readonly #tallies = new Map<string, Tally>()
  readonly #dropped: string[] = []

  constructor(parts: SyncParts, claims: Claims, onProgress: OnProgress, signal: AbortSignal) {
    this.#parts = parts
    this.#claims = claims
    this.#onProgress = onProgress
    this.#signal = signal
  }

  async run(): Promise<Extract<SyncReport, { kind: 'done' }>> {
    const { account, store, clock } = this.#parts
    const began = clock.elapsed()
    const listed = await account.source.mailboxes(this.#signal)
    await store.noteMailboxes(listed)
    await this.#clearTexts()
    const names = inOrder(listed).map(({ name }) => name)
    const there = new Set(names)
    await this.#drop((await store.folders()).map(({ mailbox }) => mailbox).filter((name) => !there.has(name)))
    for (const name of names) this.#tallies.set(name, { fetched: 0, indexed: 0 })
    await this.#pullAll(names)
    await this.#settle([...this.#healthy()])
    for (const name of this.#healthy()) await this.#attempt(name, (tally) => this.#index(name, tally))
    const indexed = [...this.#tallies.values()].reduce((sum, tally) => sum + tally.indexed, 0)
    if (indexed >= MUCH) await store.tidy()
    return {
      kind: 'done',
      folders: await this.#reports(),
      dropped: this.#dropped,
      seconds: (clock.elapsed() - began) / 1000,
    }
  }

  /** Where texts are to be kept no longer, none of their words may stay in the file. */
  async #clearTexts(): Promise<void> {
    const { store, depth } = this.#parts
    if (depth === 'full') return
    if ((await store.folders()).some((folder) => folder.depth === 'full' && folder.indexed > 0)) await store.clear()
  }

  async #pullAll(names: readonly string[]): Promise<void> {
    const states = await this.#parts.feed.states(names, this.#signal)
    for (const [at, name] of names.entries()) {
      await this.#attempt(name, (tally) => this.#pull(name, states[at], tally))
    }
  }

  /** One that could not be looked at among the others is asked why: it may be there all the same. */
  async #pull(name: string, state: FolderState | undefined, tally: Tally): Promise<void> {
    const seen = state ?? (await this.#parts.feed.state(name, this.#signal))
    const meter = (done: number, total: number): Meter => this.#meter(name, 'headers', done, total)
    tally.fetched += await pullFolder(name, seen, this.#parts, meter, this.#signal)
  }

  /** What has happened while the folders were being filled. One round trip where nothing has. */
  async #settle(names: readonly string[]): Promise<void> {
    if ([...this.#tallies.values()].every(({ fetched }) => fetched === 0)) return
    const { feed, store } = this.#parts
    const states = await feed.states(names, this.#signal)
    for (const [at, name] of names.entries()) {
      const seen = states[at]
      const known = await store.folder(name)
      if (known !== undefined && (seen === undefined || !isSame(known.state, seen)))
        await this.#attempt(name, (tally) => this.#pull(name, seen, tally))
    }
  }

  async #index(name: string, tally: Tally): Promise<void> {
    const folder = await this.#parts.store.folder(name)
    if (folder === undefined || isIndexed(folder)) return
    const meter = this.#meter(name, 'texts', folder.indexed, folder.kept)
    const at = { mailbox: name, uidvalidity: folder.state.uidvalidity }
    tally.indexed += await indexFolder(at, this.#parts, this.#signal, meter)
  }

  /** One folder that is another one by now is tried once more as what it is; one that is gone is left. */
  async #attempt(name: string, work: (tally: Tally) => Promise<void>): Promise<void> {
    const tally = this.#tallies.get(name)
    if (tally === undefined) return
    try {
      await this.#claims.holding(name, () => this.#tried(name, tally, work))
    } catch (error) {
      if (this.#signal.aborted) throw stopped(this.#signal)
      if (!(error instanceof Failure) || isForAll(error)) throw error
      if (error.code === 'not_found') return this.#leave(name)
      this.#parts.log.warn(
        { err: error, account: this.#parts.account.id, mailbox: name },
        'a folder could not be synced',
      )
      tally.failure = error
    }
  }

  async #tried(name: string, tally: Tally, work: (tally: Tally) => Promise<void>): Promise<void> {
    try {
      await work(tally)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'conflict') throw error
      await this.#pull(name, undefined, tally)
      await this.#index(name, tally)
    }
  }

  /** A folder that went while we were looking. */
  async #leave(name: string): Promise<void> {
    this.#tallies.delete(name)
    if ((await this.#parts.store.folder(name)) !== undefined) await this.#drop([name])
  }

  async #drop(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    await this.#parts.store.drop(names)
    this.#dropped.push(...names)
  }

  #healthy(): readonly string[] {
    return [...this.#tallies].filter(([, { failure }]) => failure === undefined).map(([name]) => name)
  }

  async #reports(): Promise<readonly FolderReport[]> {
    const kept = new Map((await this.#parts.store.folders()).map((folder) => [folder.mailbox, folder.kept]))
    return [...this.#tallies].map(([mailbox, tally]) => ({ mailbox, ...tally, kept: kept.get(mailbox) ?? 0 }))
  }

  #meter(mailbox: string, phase: SyncProgress['phase'], done: number, total: number): Meter {
    const { account, clock } = this.#parts
    return new Meter({ account: account.id, mailbox, phase, done, total }, clock, this.#onProgress, this.#last)
  }
}

/** What no other folder would fare better with. */
function isForAll({ code }: Failure): boolean {
  return code === 'auth_failed' || code === 'tls_failed'
}
