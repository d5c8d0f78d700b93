/**
 * New messages for the account.
 *
 * INVARIANT: each is sent once, and has its uid when it is known to have arrived; of several, the first has the smallest. Gmail
 * takes its own time of arrival or the message's `Date` for INTERNALDATE: of a message that comes with a date of its own, the
 * latter. What goes into Drafts is a draft, which has no flags of its own.
 */
import { Failure } from '../../core/failure.ts'
import type { Appended, NewMessage, Placed } from '../../ports/mail-source.ts'
import { draftMessageIn, idIn } from './answers.ts'
import type { GmailClient } from './client/client.ts'
import { throwIfAborted } from './failures.ts'
import { labelsFor } from './flags.ts'
import { ALL_MAIL, type Folder } from './labels.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { UidStore } from './uids/store.ts'

export interface AddingParts {
  readonly client: GmailClient
  readonly mailboxes: Mailboxes
  readonly uids: UidStore
}

type Sent =
  /** `draft` is Gmail's name of the draft, which outlives the message in it. */
  { readonly id: string; readonly deleted: boolean; readonly draft?: string } | { readonly failure: Failure }

export class Adding {
  readonly #parts: AddingParts

  constructor(parts: AddingParts) {
    this.#parts = parts
  }

  async append(to: string, message: NewMessage, signal: AbortSignal): Promise<Placed | undefined> {
    const folder = await this.#parts.mailboxes.destination(to, signal)
    const [ending] = await this.#place(folder, [await this.#send(folder, message, signal)])
    if (ending === undefined || ending.kind === 'done') return ending?.placed
    throw ending.failure
  }

  async appendEach(to: string, messages: readonly NewMessage[], signal: AbortSignal): Promise<readonly Appended[]> {
    throwIfAborted(signal)
    if (messages.length === 0) return []
    let folder: Folder
    try {
      folder = await this.#parts.mailboxes.destination(to, signal)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return messages.map(() => ({ kind: 'refused', failure: error }))
    }
    const sent = await Promise.all(messages.map((message) => this.#send(folder, message, signal)))
    return this.#place(folder, sent)
  }

  async #send(folder: Folder, message: NewMessage, signal: AbortSignal): Promise<Sent> {
    try {
      return folder.id === 'DRAFT' ? await this.#draft(message, signal) : await this.#insert(folder, message, signal)
    } catch (error) {
      if (error instanceof Failure) return { failure: error }
      throw error
    }
  }

  async #draft({ bytes, flags, thread }: NewMessage, signal: AbortSignal): Promise<Sent> {
    const { deleted } = labelsFor(flags)
    const mime = { bytes: someBytes(bytes), in: 'draft' } as const
    const body = thread === undefined ? {} : { message: { threadId: thread } }
    const call = { method: 'POST', path: 'drafts', body, mime, stage: 'append' } as const
    const answer = await this.#parts.client.write(call, signal)
    return { id: draftMessageIn(answer).id, deleted, draft: idIn(answer) }
  }

  async #insert(folder: Folder, { bytes, flags, received }: NewMessage, signal: AbortSignal): Promise<Sent> {
    const { labels, deleted } = labelsFor(flags)
    const labelIds = [...new Set([...(folder.id === ALL_MAIL ? [] : [folder.id]), ...labels])]
    const dated = received === undefined ? {} : { internalDate: String(received * 1000) }
    const answer = await this.#parts.client.write(
      {
        method: 'POST',
        path: 'messages',
        query: { internalDateSource: received === undefined ? 'receivedTime' : 'dateHeader' },
        body: { labelIds, ...dated },
        mime: { bytes: someBytes(bytes), in: 'message' },
        stage: 'append',
      },
      signal,
    )
    return { id: idIn(answer), deleted }
  }

  /** They have arrived: whoever asked may have left by now, and it is written down all the same. */
  async #place(folder: Folder, sent: readonly Sent[]): Promise<readonly Appended[]> {
    const { uids } = this.#parts
    const arrived = sent.flatMap((one) => ('id' in one ? [one] : []))
    const given = await uids.assign(folder.id, arrived.map(({ id }) => id).toReversed(), ANYWAY)
    const deleted = arrived.flatMap((one) => (one.deleted ? [given.get(one.id) ?? 0] : []))
    if (deleted.length > 0) await uids.mark(folder.id, deleted, true, ANYWAY)
    const { uidvalidity } = await uids.state(folder.id, ANYWAY)
    return sent.map((one) => {
      if ('id' in one) {
        const placed = { uidvalidity, uid: given.get(one.id) ?? 0 }
        return { kind: 'done', placed: one.draft === undefined ? placed : { ...placed, draft: one.draft } }
      }
      return { kind: one.failure.code === 'outcome_unknown' ? 'unknown' : 'refused', failure: one.failure }
    })
  }
}

const ANYWAY = new AbortController().signal

function someBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) throw new Failure('invalid_input', 'an empty message cannot be stored')
  return bytes
}
