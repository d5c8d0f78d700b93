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
import { isFilled, isIndexed, isSame, isWanted, reaches } from './standing.ts'
import type { SyncParts } from './sync-parts.ts'

/** More than that is fetched in the background. */
const MOST_ARRIVALS = 200
/** How long whoever else is at it is waited for. */
const PATIENCE_MS = 1000
const LOOK_EVERY_MS = 25

export class Freshener {
  readonly #parts: SyncParts
  readonly #leases: Leases
  readonly #claims: Claims

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
    const changes = await this.#parts.feed.changes(mailbox, folder.state, signal)
    if (changes.kind === 'remade' || !isSmall(folder, changes)) return undefined
    if (changes.kind === 'same' && isIndexed(folder)) return this.#noted(folder)
    const target = changes.kind === 'same' ? folder.state : changes.state
    const elsewhere = (): Promise<MirroredFolder | undefined> => this.#waitFor(mailbox, target, signal)
    const release = this.#claims.take(mailbox)
    if (release === undefined) return elsewhere()
    try {
      return await this.#leases.holding(() => this.#update(folder, changes, signal), elsewhere)
    } finally {
      release()
    }
  }

  /** Whether little is missing at most. */
  #isNear(folder: MirroredFolder): boolean {
    const isLittle = folder.kept - folder.indexed <= MOST_ARRIVALS
    return isFilled(folder) && isLittle && isWanted(folder, this.#parts)
  }

  #isWhole(folder: MirroredFolder): boolean {
    return isFilled(folder) && isIndexed(folder) && isWanted(folder, this.#parts)
  }

  async #update(before: MirroredFolder, found: Changes, signal: AbortSignal): Promise<MirroredFolder | undefined> {
    const { feed, store } = this.#parts
    const { mailbox } = before
    const folder = await store.folder(mailbox)
    if (folder === undefined || !this.#isNear(folder)) return undefined
    // Somebody else may have been at it before us.
    const isOurs = isSame(folder.state, before.state)
    const changes = isOurs ? found : await feed.changes(mailbox, folder.state, signal)
    if (changes.kind === 'remade' || !isSmall(folder, changes)) return undefined
    if (changes.kind === 'changed') await applyChanges(folder, changes, this.#parts, signal)
    await indexFolder({ mailbox, uidvalidity: folder.state.uidvalidity }, this.#parts, signal)
    const after = await store.folder(mailbox)
    return after !== undefined && this.#isWhole(after) ? after : undefined
  }

  /** Another process, or our own sync of everything, is writing: it may be about to write just this. */
  async #waitFor(mailbox: string, target: FolderState, signal: AbortSignal): Promise<MirroredFolder | undefined> {
    const { store, clock, pause = realPause } = this.#parts
    const until = clock.elapsed() + PATIENCE_MS
    for (;;) {
      const folder = await store.folder(mailbox)
      if (folder === undefined) return undefined
      if (this.#isWhole(folder) && reaches(folder.state, target)) return folder
      if (clock.elapsed() >= until || signal.aborted) return undefined
      await pause(LOOK_EVERY_MS, signal)
    }
  }

  /** Says when it was found unchanged, where it was last said long ago and nobody else is writing. */
  async #noted(folder: MirroredFolder): Promise<MirroredFolder> {
    const { store, clock } = this.#parts
    if (isNoted(folder.checkedAt, clock.now())) return folder
    const release = this.#claims.take(folder.mailbox)
    if (release === undefined) return folder
    const note = async (): Promise<void> => {
      const now = await store.folder(folder.mailbox)
      if (now !== undefined && isSame(now.state, folder.state)) await noteSame(now, this.#parts)
    }
    try {
      await this.#leases.holding(note, () => undefined)
    } finally {
      release()
    }
    return folder
  }
}

function isSmall({ state }: MirroredFolder, changes: Changes): boolean {
  return changes.kind !== 'changed' || arrivals(state, changes) <= MOST_ARRIVALS
}
