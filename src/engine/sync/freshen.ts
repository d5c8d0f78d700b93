/**
 * The quick look at one folder before an answer rests on its mirror.
 *
 * INVARIANT: what comes back is as the server had it after the question was asked, wholly there and wholly indexed; anything
 * else is undefined, and the caller asks the server itself. One round trip where nothing has changed.
 */
import { Failure } from '../../core/failure.ts'
import type { Changes, FolderState } from '../../core/mirror/state.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import { applyChanges, arrivals } from './apply-changes.ts'
import type { Claims } from './claims.ts'
import { indexFolder } from './index-folder.ts'
import type { Leases } from './leases.ts'
import { pause as realPause } from './pause.ts'
import { isNoted, noteSame } from './pull-folder.ts'
import { isFilled, isIndexed, isSame, isWanted, reaches, tellsFlags } from './standing.ts'
import type { SyncParts } from './sync-parts.ts'

/** More than that is fetched in the background. */
const MOST_ARRIVALS = 200
/** How long whoever else is at it is waited for. */
const PATIENCE_MS = 1000
const LOOK_EVERY_MS = 25
/** Whoever was waited for in vain is at something long: for so long nobody waits for it again. */
const NO_MORE_FOR_MS = 10_000

/** Somebody else is writing. */
const BUSY = Symbol('busy')

export class Freshener {
  readonly #parts: SyncParts
  readonly #leases: Leases
  readonly #claims: Claims
  #waitAgainFrom = 0

  constructor(parts: SyncParts, leases: Leases, claims: Claims) {
    this.#parts = parts
    this.#leases = leases
    this.#claims = claims
  }

  /** Calls `asking` before the server is asked. */
  async freshen(mailbox: string, asking: () => void, signal: AbortSignal): Promise<MirroredFolder | undefined> {
    try {
      return await this.#look(mailbox, asking, signal)
    } catch (error) {
      // Made anew while we looked.
      if (error instanceof Failure && error.code === 'conflict') return undefined
      throw error
    }
  }

  async #look(mailbox: string, asking: () => void, signal: AbortSignal): Promise<MirroredFolder | undefined> {
    const folder = await this.#parts.store.folder(mailbox)
    if (folder === undefined || !this.#isNear(folder)) return undefined
    asking()
    // Where it cannot be told whether others have written just this: it is asked for once nobody else can write.
    const alone = (): Promise<MirroredFolder | undefined> =>
      this.#patiently(() => this.#holding(mailbox, () => this.#update(folder, undefined, signal)), signal)
    if (!tellsFlags(folder.state)) return alone()
    const changes = await this.#parts.feed.changes(mailbox, folder.state, signal)
    if (changes.kind === 'remade' || !isSmall(folder, changes)) return undefined
    if (changes.kind === 'same' && isIndexed(folder)) return this.#noted(folder)
    const target = changes.kind === 'same' ? folder.state : changes.state
    const updated = await this.#holding(mailbox, () => this.#update(folder, changes, signal))
    if (updated !== BUSY) return updated
    // A server that counts anew: by its numbers what is kept was as new before.
    if (changes.kind === 'changed' && reaches(folder.state, target)) return alone()
    return this.#patiently(() => this.#reached(mailbox, target), signal)
  }

  /** Runs `work` while nobody else writes that folder, here or in another process. */
  async #holding<T>(mailbox: string, work: () => Promise<T>): Promise<T | typeof BUSY> {
    const release = this.#claims.take(mailbox)
    if (release === undefined) return BUSY
    try {
      return await this.#leases.holding(work, () => BUSY)
    } finally {
      release()
    }
  }

  /** Another process, or our own sync of everything, is writing: it will be done soon, or the server is asked. */
  async #patiently<T>(attempt: () => Promise<T | typeof BUSY>, signal: AbortSignal): Promise<T | undefined> {
    const { clock, pause = realPause } = this.#parts
    const began = clock.elapsed()
    const until = began < this.#waitAgainFrom ? began : began + PATIENCE_MS
    for (;;) {
      const done = await attempt()
      if (done !== BUSY) return done
      if (signal.aborted) return undefined
      if (clock.elapsed() >= until) break
      await pause(LOOK_EVERY_MS, signal)
    }
    if (until > began) this.#waitAgainFrom = until + NO_MORE_FOR_MS
    return undefined
  }

  /** Whether little is missing at most. */
  #isNear(folder: MirroredFolder): boolean {
    const isLittle = folder.kept - folder.indexed <= MOST_ARRIVALS
    return isFilled(folder) && isLittle && isWanted(folder, this.#parts)
  }

  #isWhole(folder: MirroredFolder): boolean {
    return isFilled(folder) && isIndexed(folder) && isWanted(folder, this.#parts)
  }

  /** `found` is what has changed since `before`, where that was asked already. */
  async #update(
    before: MirroredFolder,
    found: Changes | undefined,
    signal: AbortSignal,
  ): Promise<MirroredFolder | undefined> {
    const { feed, store } = this.#parts
    const { mailbox } = before
    const folder = await store.folder(mailbox)
    if (folder === undefined || !this.#isNear(folder)) return undefined
    // Somebody else may have been at it before us.
    const ours = isSame(folder.state, before.state) ? found : undefined
    const changes = ours ?? (await feed.changes(mailbox, folder.state, signal))
    if (changes.kind === 'remade' || !isSmall(folder, changes)) return undefined
    if (changes.kind === 'changed') await applyChanges(folder, changes, this.#parts, signal)
    else await noteSame(folder, this.#parts)
    await indexFolder({ mailbox, uidvalidity: folder.state.uidvalidity }, this.#parts, signal)
    const after = await store.folder(mailbox)
    return after !== undefined && this.#isWhole(after) ? after : undefined
  }

  /** Whoever is writing may be about to write just this. */
  async #reached(mailbox: string, target: FolderState): Promise<MirroredFolder | undefined | typeof BUSY> {
    const folder = await this.#parts.store.folder(mailbox)
    return folder === undefined || (this.#isWhole(folder) && reaches(folder.state, target)) ? folder : BUSY
  }

  /** Says when it was found unchanged, where it was last said long ago and nobody else is writing. */
  async #noted(folder: MirroredFolder): Promise<MirroredFolder> {
    const { store, clock } = this.#parts
    if (isNoted(folder.checkedAt, clock.now())) return folder
    const note = async (): Promise<void> => {
      const now = await store.folder(folder.mailbox)
      if (now !== undefined && isSame(now.state, folder.state)) await noteSame(now, this.#parts)
    }
    await this.#holding(folder.mailbox, note)
    return folder
  }
}

function isSmall({ state }: MirroredFolder, changes: Changes): boolean {
  return changes.kind !== 'changed' || arrivals(state, changes) <= MOST_ARRIVALS
}
