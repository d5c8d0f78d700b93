/**
 * Messages as the mail-source port shows them.
 *
 * INVARIANT: only reads. All of a message is fetched only where what is remembered of it does not tell what was asked for.
 */
import { messageMissing } from '../../core/absent.ts'
import type { Opened, PartBytes, Summary, Traits } from '../../core/message.ts'
import type { MailboxAt, PartWanted, RawMessage, TraitsWanted, WholeMessage } from '../../ports/mail-source.ts'
import type { FolderAt, Mailboxes } from './mailboxes.ts'
import type { LookedThrough, Messages } from './messages.ts'
import { fieldsOf, partsOf, structureOf, tellsStart, wholeOf } from './record.ts'

export interface ReadingParts {
  readonly mailboxes: Mailboxes
  readonly messages: Messages
}

const NOTHING_READ = { header: [], headerCut: false, structure: undefined }

export class Reading {
  readonly #mailboxes: Mailboxes
  readonly #messages: Messages

  constructor({ mailboxes, messages }: ReadingParts) {
    this.#mailboxes = mailboxes
    this.#messages = messages
  }

  async traits(
    at: MailboxAt,
    uids: readonly number[],
    wanted: TraitsWanted,
    signal: AbortSignal,
  ): Promise<readonly Traits[]> {
    const place = await this.#mailboxes.seenAt(at, signal)
    if (wanted.fields.length === 0 && !wanted.structure) {
      const looked = await this.#messages.list(place, uids, signal)
      return looked.map(({ uid, received, flags, size }) => ({ ...{ uid, received, flags, size }, ...NOTHING_READ }))
    }
    return this.#messages.records(place, uids, signal, ({ uid, received, flags, record }) => ({
      ...{ uid, received, flags, size: record.size },
      ...fieldsOf(record, wanted),
      structure: wanted.structure ? structureOf(record) : undefined,
    }))
  }

  async summaries(
    at: MailboxAt,
    uids: readonly number[],
    bodyStartBytes: number,
    signal: AbortSignal,
  ): Promise<readonly Summary[]> {
    const place = await this.#mailboxes.seenAt(at, signal)
    const short = await this.#messages.records(place, uids, signal, ({ uid, received, flags, record }) => ({
      ...{ uid, received, flags, size: record.size, header: record.header },
      bodyStart: bodyStartBytes > 0 ? record.beginning.subarray(0, bodyStartBytes) : undefined,
      isWhole: tellsStart(record, bodyStartBytes),
    }))
    const cut = short.flatMap(({ uid, isWhole }) => (isWhole ? [] : [uid]))
    const starts = await this.#bodyStarts(place, cut, bodyStartBytes, signal)
    return short.map(({ isWhole: _, ...one }) => ({ ...one, bodyStart: starts.get(one.uid) ?? one.bodyStart }))
  }

  async open(at: MailboxAt, uid: number, signal: AbortSignal): Promise<Opened> {
    const place = await this.#mailboxes.seenAt(at, signal)
    const { uidvalidity } = place
    const [opened] = await this.#messages.records(place, [uid], signal, ({ received, flags, record }) => ({
      ...{ uidvalidity, uid, received, flags, size: record.size },
      ...{ header: record.header, headerCut: record.headerCut, structure: structureOf(record) },
    }))
    if (opened === undefined) throw messageMissing(uid)
    return opened
  }

  parts(at: MailboxAt, uid: number, wanted: readonly PartWanted[], signal: AbortSignal): Promise<readonly PartBytes[]> {
    return this.#whole(at, uid, signal, ({ bytes, record }) => partsOf(bytes, record, wanted))
  }

  raw(at: MailboxAt, uid: number, maxBytes: number, signal: AbortSignal): Promise<RawMessage> {
    return this.#whole(at, uid, signal, ({ bytes }) => ({ size: bytes.length, bytes: bytes.slice(0, maxBytes) }))
  }

  async rawMany(
    at: MailboxAt,
    uids: readonly number[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<readonly WholeMessage[]> {
    const place = await this.#mailboxes.seenAt(at, signal)
    return this.#messages.whole(place, uids, signal, ({ uid, bytes, flags, received }) =>
      wholeOf({ uid, bytes, flags, received }, maxBytes),
    )
  }

  async flags(at: MailboxAt, uid: number, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.#messages.one(await this.#mailboxes.seenAt(at, signal), uid, signal)).flags
  }

  /** The beginnings of bodies, from all of their messages. */
  async #bodyStarts(
    place: FolderAt,
    uids: readonly number[],
    most: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Uint8Array>> {
    return new Map(
      await this.#messages.whole(place, uids, signal, ({ uid, bytes, record: { bodyStart } }) => {
        return [uid, bytes.slice(bodyStart, bodyStart + most)] as const
      }),
    )
  }

  async #whole<T>(at: MailboxAt, uid: number, signal: AbortSignal, make: (message: LookedThrough) => T): Promise<T> {
    const place = await this.#mailboxes.seenAt(at, signal)
    const [made] = await this.#messages.whole(place, [uid], signal, (message) => [make(message)])
    if (made === undefined) throw messageMissing(uid)
    return made[0] as T
  }
}
