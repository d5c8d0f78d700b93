/**
 * Messages of a folder, looked at by uid.
 *
 * INVARIANT: labels are always asked for anew, so whoever is not in the folder any more is not there and flags are of this moment;
 * a message's bytes are fetched once and then remembered for a while, since they never change.
 */
import { messageMissing } from '../../core/absent.ts'
import { type GmailMessage, messageIn } from './answers.ts'
import { type GmailClient, type GmailRead, segment } from './client/client.ts'
import { flagsOf } from './flags.ts'
import { Kept } from './kept.ts'
import { type Folder, standsIn } from './labels.ts'
import type { FolderAt } from './mailboxes.ts'
import { type Record, recordOf, weightOf } from './record.ts'
import type { UidStore } from './uids/store.ts'

/** What is wanted of a message beside its labels: nothing, what `Record` tells, all its bytes. */
export type Wanted = 'labels' | 'record' | 'bytes'

export interface Looked {
  readonly uid: number
  readonly id: string
  readonly thread: string
  readonly labels: readonly string[]
  readonly flags: readonly string[]
  readonly received: number
  readonly size: number
}

export interface LookedAt extends Looked {
  readonly record: Record
}

export interface LookedThrough extends LookedAt {
  readonly bytes: Uint8Array
}

const RECORDS_BYTES = 32 * 1024 * 1024
const MESSAGES_BYTES = 32 * 1024 * 1024
/** Gmail takes 50 MB from others; base64 makes that a third more. */
const MOST_RAW_BYTES = 100 * 1024 * 1024
const FIELDS = 'id,threadId,labelIds,internalDate,sizeEstimate'
/** So that very many do not all wait in memory. */
const AT_ONCE = 100

export class Messages {
  readonly #client: GmailClient
  readonly #uids: UidStore
  readonly #records = new Kept<Record>(RECORDS_BYTES)
  readonly #bytes = new Kept<Uint8Array>(MESSAGES_BYTES)

  constructor(client: GmailClient, uids: UidStore) {
    this.#client = client
    this.#uids = uids
  }

  /** Those that are there, in the order asked for, each as `make` has it. One round trip where there are not very many. */
  async list(at: FolderAt, uids: readonly number[], signal: AbortSignal): Promise<readonly Looked[]> {
    return this.#each(at, uids, 'labels', signal, (looked) => looked)
  }

  async records<T>(
    at: FolderAt,
    uids: readonly number[],
    signal: AbortSignal,
    make: (message: LookedAt) => T,
  ): Promise<readonly T[]> {
    return this.#each(at, uids, 'record', signal, (looked, record) => make({ ...looked, record: must(record) }))
  }

  async whole<T>(
    at: FolderAt,
    uids: readonly number[],
    signal: AbortSignal,
    make: (message: LookedThrough) => T,
  ): Promise<readonly T[]> {
    return this.#each(at, uids, 'bytes', signal, (looked, record, bytes) =>
      make({ ...looked, record: must(record), bytes: must(bytes) }),
    )
  }

  async one(at: FolderAt, uid: number, signal: AbortSignal): Promise<Looked> {
    const [looked] = await this.list(at, [uid], signal)
    if (looked === undefined) throw messageMissing(uid)
    return looked
  }

  /** The facts of these ids that never change, wherever they stand; those that are gone are left out. */
  async learn(ids: readonly string[], signal: AbortSignal): Promise<void> {
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const calls = ids.slice(start, start + AT_ONCE).map((id) => callFor(id, false))
      const answers = await this.#client.batch(calls, signal, messageIn)
      await this.#uids.learn(
        answers.flatMap((answer) => (answer.kind === 'found' ? [answer.value] : [])),
        signal,
      )
    }
  }

  /** Those of these ids that stand in the folder now. */
  async stillIn(folder: Folder, ids: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const calls = ids.map((id) => callFor(id, false))
    const answers = await this.#client.batch(calls, signal, messageIn)
    return answers.flatMap((answer) => {
      return answer.kind === 'found' && standsIn(folder, answer.value.labels) ? [answer.value.id] : []
    })
  }

  async #each<T>(
    at: FolderAt,
    uids: readonly number[],
    wanted: Wanted,
    signal: AbortSignal,
    make: (looked: Looked, record: Record | undefined, bytes: Uint8Array | undefined) => T,
  ): Promise<readonly T[]> {
    const done = new Map<number, T>()
    const known = [...(await this.#uids.lookUp(at.folder.id, uids, signal)).values()]
    for (let start = 0; start < known.length; start += AT_ONCE) {
      const some = known.slice(start, start + AT_ONCE)
      // Held from here on: others may push it out of what is kept before the answer is here.
      const held = new Map(some.map((one) => [one.id, { ...one, ...this.#held(one.id, wanted) }]))
      const calls = some.map(({ id }) => callFor(id, held.get(id)?.isMissing === true))
      const answers = await this.#client.batch(calls, signal, (answer) => {
        const message = messageIn(answer)
        const before = held.get(message.id)
        if (before === undefined || !standsIn(at.folder, message.labels)) return withoutBytes(message)
        const { record, bytes } = this.#kept(message) ?? before
        const flags = flagsOf(message.labels, before.deleted)
        const looked = { ...withoutBytes(message), uid: before.uid, flags, size: record?.size ?? message.size }
        done.set(before.uid, make(looked, record, bytes))
        return withoutBytes(message)
      })
      await this.#learnNew(
        answers.flatMap((answer) => (answer.kind === 'found' ? [answer.value] : [])),
        signal,
      )
    }
    return uids.flatMap((uid) => (done.has(uid) ? [done.get(uid) as T] : []))
  }

  async #learnNew(messages: readonly GmailMessage[], signal: AbortSignal): Promise<void> {
    const ids = messages.map(({ id }) => id)
    const known = await this.#uids.facts(ids, signal)
    await this.#uids.learn(
      messages.filter(({ id }) => !known.has(id)),
      signal,
    )
  }

  #held(id: string, wanted: Wanted): Partial<Held> & { readonly isMissing: boolean } {
    const [record, bytes] = [this.#records.get(id), this.#bytes.get(id)]
    const isMissing = wanted !== 'labels' && (record === undefined || (wanted === 'bytes' && bytes === undefined))
    return { ...(record !== undefined && { record }), ...(bytes !== undefined && { bytes }), isMissing }
  }

  /** What came just now, if its bytes did. */
  #kept({ id, raw }: GmailMessage): Held | undefined {
    if (raw === undefined) return undefined
    const record = this.#records.get(id) ?? recordOf(raw)
    this.#records.keep(id, record, weightOf(record))
    this.#bytes.keep(id, raw, raw.length)
    return { record, bytes: raw }
  }
}

interface Held {
  readonly record: Record
  readonly bytes: Uint8Array
}

function withoutBytes({ raw: _raw, ...message }: GmailMessage): GmailMessage {
  return { ...message, raw: undefined }
}

function callFor(id: string, raw: boolean): GmailRead {
  const path = `messages/${segment(id)}`
  if (!raw) return { path, query: { format: 'minimal', fields: FIELDS }, stage: 'fetch' }
  return { path, query: { format: 'raw', fields: `${FIELDS},raw` }, maxBytes: MOST_RAW_BYTES, stage: 'fetch' }
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('what was fetched a moment ago is not there')
  return value
}
