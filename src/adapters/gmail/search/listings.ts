/**
 * Lists of ids, the long ones remembered: Gmail gives five hundred at a time, one page behind the other.
 *
 * INVARIANT: a list that is remembered is shown again only where Gmail's history says that nothing has happened since that could
 * change it. The place in the history is from before the list was made.
 */
import type { GmailClient } from '../client/client.ts'
import { concerns, historyNow, historySince } from '../feed/history.ts'
import type { Folder } from '../labels.ts'
import { type ListWanted, listIds, pageOf } from './list.ts'

interface Remembered {
  readonly history: string
  readonly ids: readonly string[]
}

interface Made {
  /** Undefined for a short one: it is as soon made as looked after. */
  readonly history: string | undefined
  readonly ids: readonly string[]
}

/** Folders and searches that somebody pages through. */
const MOST = 8

export class Listings {
  readonly #client: GmailClient
  readonly #long = new Map<string, Remembered>()

  constructor(client: GmailClient) {
    this.#client = client
  }

  /** Newest first, all of them. */
  async ids(folder: Folder, wanted: ListWanted, signal: AbortSignal): Promise<readonly string[]> {
    const key = JSON.stringify([folder.id, wanted.labels, wanted.query])
    const known = this.#long.get(key)
    const still = known && (await this.#still(known, folder, wanted, signal))
    const { history, ids } = still ?? (await this.#made(folder, wanted, known === undefined, signal))
    this.#long.delete(key)
    if (history !== undefined) this.#long.set(key, { history, ids })
    for (const oldest of this.#long.keys()) if (this.#long.size > MOST) this.#long.delete(oldest)
    return ids
  }

  async #still(
    { history, ids }: Remembered,
    folder: Folder,
    { labels, query }: ListWanted,
    signal: AbortSignal,
  ): Promise<Remembered | undefined> {
    const since = await historySince(this.#client, history, signal)
    if (since === undefined) return undefined
    const isWhole = labels.length === 0 && query === ''
    const changed = [...since.touched.values()].some((touch) => !isWhole || concerns(folder, touch))
    return changed ? undefined : { history: since.upTo, ids }
  }

  async #made(folder: Folder, wanted: ListWanted, mayBeShort: boolean, signal: AbortSignal): Promise<Made> {
    if (mayBeShort) {
      const { ids, next } = await pageOf(this.#client, folder, wanted, undefined, signal)
      if (next === undefined) return { history: undefined, ids }
    }
    const history = await historyNow(this.#client, signal)
    return { history, ids: await listIds(this.#client, folder, wanted, signal) }
  }
}
