/**
 * Makes the messages of a folder findable, newest first.
 *
 * INVARIANT: indexed in one order whatever arrives first; while one batch is being indexed the next ones are fetched and
 * read, and no more than that is ever in memory.
 */
import { parseHeader } from '../../core/mime/header.ts'
import type { MessageText } from '../../core/mirror/state.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { Unindexed } from '../../ports/mirror-store.ts'
import type { Meter } from './progress.ts'
import { readTexts, subjectIn, type Unread } from './read-texts.ts'
import { stopped } from './stopped.ts'
import type { SyncParts } from './sync-parts.ts'
import { type WantedParts, wantedParts } from './wanted-parts.ts'

type IndexParts = Pick<SyncParts, 'feed' | 'store' | 'content' | 'depth' | 'authservId' | 'log'>

/** Few at once hold nobody up; more of them share what a write costs: the words of all of them are put in order together. */
const BATCH_MESSAGES = { headers: 500, full: 300 } as const
const BATCH_BYTES = 4 * 1024 * 1024
/** Shorter headers take no room that counts. */
const LONG_HEADER = 16_384
/** Batches that are being fetched and read while one is being indexed. */
const AHEAD = 2
/** Whole batches are looked up: what is left over would be a small one. */
const LOOKED_UP = 2

const NOTHING: WantedParts = { bodies: [], documents: [], first: [], bytes: 0 }

interface Batch {
  readonly uids: readonly number[]
  readonly texts: Promise<readonly MessageText[]>
  /** Settled when it has been fetched and is being read elsewhere, or has failed. */
  readonly handedOver: Promise<void>
}

/** Returns how many were indexed. */
export async function indexFolder(
  at: MailboxAt,
  parts: IndexParts,
  signal: AbortSignal,
  meter?: Meter,
): Promise<number> {
  const stopping = new AbortController()
  const stop = AbortSignal.any([signal, stopping.signal])
  const waiting = new Waiting(at.mailbox, parts)
  const underWay: Batch[] = []
  let indexed = 0
  try {
    for (;;) {
      while (underWay.length < AHEAD) {
        const messages = await waiting.next()
        if (messages.length === 0) break
        underWay.push(begun(at, messages, parts, stop))
      }
      const batch = underWay.shift()
      if (batch === undefined) return indexed
      const texts = await batch.texts
      // Indexing holds this thread: the others should have something to read meanwhile.
      await underWay[0]?.handedOver
      if (signal.aborted) throw stopped(signal)
      await parts.store.index(at.mailbox, texts, parts.depth, parts.authservId)
      waiting.done(batch.uids)
      indexed += texts.length
      meter?.add(texts.length)
    }
  } finally {
    stopping.abort()
    await Promise.allSettled(underWay.map(({ texts }) => texts))
  }
}

function begun(at: MailboxAt, messages: readonly Unread[], parts: IndexParts, stop: AbortSignal): Batch {
  const handed = Promise.withResolvers<void>()
  const texts = heard(textsOf(at, messages, parts, stop, handed.resolve))
  void texts.then(
    () => handed.resolve(),
    () => handed.resolve(),
  )
  return { uids: messages.map(({ uid }) => uid), texts, handedOver: handed.promise }
}

/** Its failure is told to whoever waits for it, at its turn. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

async function textsOf(
  at: MailboxAt,
  messages: readonly Unread[],
  { depth, feed, content, log }: IndexParts,
  signal: AbortSignal,
  onHandedOver: () => void,
): Promise<readonly MessageText[]> {
  if (depth === 'headers') return messages.map(({ uid }) => ({ uid, body: '', attachments: [], snippet: '' }))
  return readTexts(messages, (wanted) => feed.texts(at, wanted, signal), { content, log }, signal, onHandedOver)
}

/** The messages that are not indexed and that nobody is at work on, in batches. */
class Waiting {
  readonly #mailbox: string
  readonly #parts: IndexParts
  readonly #underWay = new Set<number>()
  #found: readonly Unindexed[] = []
  #taken = 0

  constructor(mailbox: string, parts: IndexParts) {
    this.#mailbox = mailbox
    this.#parts = parts
  }

  /** Empty when there are no more. */
  async next(): Promise<readonly Unread[]> {
    if (this.#taken >= this.#found.length) await this.#lookUp()
    const batch: Unread[] = []
    let bytes = 0
    while (this.#taken < this.#found.length && batch.length < BATCH_MESSAGES[this.#parts.depth]) {
      const message = this.#found[this.#taken] as Unindexed
      const wanted = this.#parts.depth === 'full' ? wantedParts(message.structure) : NOTHING
      bytes += wanted.bytes + (message.header.length < LONG_HEADER ? 0 : message.header.length)
      if (batch.length > 0 && bytes > BATCH_BYTES) break
      batch.push({ uid: message.uid, wanted, subject: () => subjectIn(parseHeader(message.header)) })
      this.#underWay.add(message.uid)
      this.#taken += 1
    }
    return batch
  }

  done(uids: readonly number[]): void {
    for (const uid of uids) this.#underWay.delete(uid)
  }

  /** The store still names those that are being read: as many more are asked for. */
  async #lookUp(): Promise<void> {
    const { store, depth } = this.#parts
    const found = await store.unread(this.#mailbox, LOOKED_UP * BATCH_MESSAGES[depth] + this.#underWay.size)
    this.#found = found.filter(({ uid }) => !this.#underWay.has(uid))
    this.#taken = 0
  }
}
