/**
 * Gmail's own ids of messages and threads, which outlive a label.
 *
 * INVARIANT: a place is one where the message stands at this moment; a message that stands in several is shown in the one that
 * people would look in first.
 */
import { Failure } from '../../core/failure.ts'
import type { GoogleIdentity } from '../../core/results.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { NativeId, NativePlace } from '../../ports/native-ids.ts'
import { draftMessageIn, type Filed, filedIn, threadIn } from './answers.ts'
import { type GmailClient, type GmailQueryValues, segment } from './client/client.ts'
import { ALL_MAIL, type Folder, standsIn } from './labels.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { Messages } from './messages.ts'
import type { UidStore } from './uids/store.ts'

export interface NativeParts {
  readonly client: GmailClient
  readonly mailboxes: Mailboxes
  readonly messages: Messages
  readonly uids: UidStore
}

const FIRST = ['TRASH', 'SPAM', 'INBOX', 'DRAFT', 'SENT']
/** No folder that a message was filed in. */
const STATES = new Set(['STARRED', 'IMPORTANT'])
/** A draft has a name of its own, which no message could have. */
const DRAFT_ID = /^r-?[0-9]+$/
const HEX_ID = /^[0-9a-f]{1,16}$/

export class Native {
  readonly #parts: NativeParts

  constructor(parts: NativeParts) {
    this.#parts = parts
  }

  async idsOf(at: MailboxAt, uids: readonly number[], signal: AbortSignal): Promise<readonly NativeId[]> {
    const { mailboxes, messages } = this.#parts
    const found = await messages.list(await mailboxes.seenAt(at, signal), uids, signal)
    return found.map(({ uid, id, thread }) => ({ uid, message: id, thread }))
  }

  async locate(message: string, signal: AbortSignal): Promise<NativePlace | undefined> {
    const isDraft = DRAFT_ID.test(message)
    const answer = await this.#orNothing(isDraft ? 'drafts' : 'messages', message, { format: 'minimal' }, signal)
    if (answer === undefined) return undefined
    return this.#place(isDraft ? draftMessageIn(answer) : filedIn(answer), signal)
  }

  async thread(id: string, signal: AbortSignal): Promise<readonly NativePlace[]> {
    const query = { format: 'minimal', fields: 'messages(id,labelIds)' }
    const answer = await this.#orNothing('threads', id, query, signal)
    const places: NativePlace[] = []
    for (const message of answer === undefined ? [] : threadIn(answer)) places.push(await this.#place(message, signal))
    return places
  }

  /** Under the number that IMAP knows it by, which is the same in other digits. */
  async identities(at: MailboxAt, uids: readonly number[], signal: AbortSignal): Promise<readonly GoogleIdentity[]> {
    const { mailboxes, messages } = this.#parts
    const found = await messages.list(await mailboxes.seenAt(at, signal), uids, signal)
    const inAllMail = found.filter(({ labels }) => standsIn(ALL, labels)).map(({ id }) => id)
    const given = await this.#parts.uids.assign(ALL_MAIL, inAllMail, signal)
    return found.map(({ uid, id }) => ({
      uid,
      gmMsgid: HEX_ID.test(id) ? BigInt(`0x${id}`).toString() : id,
      allMailUid: given.get(id),
    }))
  }

  async #place({ id, labels }: Filed, signal: AbortSignal): Promise<NativePlace> {
    const { uids } = this.#parts
    const { id: label, name } = await this.#folderFor(labels, signal)
    const given = await uids.assign(label, [id], signal)
    const { uidvalidity } = await uids.state(label, signal)
    return { mailbox: name, uidvalidity, uid: given.get(id) ?? 0 }
  }

  async #folderFor(labels: readonly string[], signal: AbortSignal): Promise<Folder> {
    const filed = labels.filter((label) => !FIRST.includes(label) && !STATES.has(label)).toSorted()
    for (const label of [...FIRST.filter((first) => labels.includes(first)), ...filed]) {
      const folder = await this.#parts.mailboxes.byId(label, signal)
      if (folder !== undefined) return folder
    }
    return ALL
  }

  async #orNothing(
    kind: 'messages' | 'threads' | 'drafts',
    id: string,
    query: GmailQueryValues,
    signal: AbortSignal,
  ): Promise<unknown> {
    try {
      return await this.#parts.client.read({ path: `${kind}/${segment(id)}`, query }, signal)
    } catch (error) {
      // An id of the wrong shape is refused rather than not found.
      if (error instanceof Failure && (error.code === 'not_found' || error.code === 'rejected')) return undefined
      throw error
    }
  }
}

const ALL: Folder = { id: ALL_MAIL, name: 'All Mail', role: 'all' }
