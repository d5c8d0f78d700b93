/**
 * Changes to messages of the account.
 *
 * INVARIANT: a message is looked at before it is changed, so that what is gone or stands elsewhere is `not_found` and nothing
 * happens; then each change is one request, sent once.
 */
import { Failure } from '../../core/failure.ts'
import type { MailboxAt, Placed } from '../../ports/mail-source.ts'
import { type GmailClient, segment } from './client/client.ts'
import { labelChange } from './flags.ts'
import { ALL_MAIL, type Folder, standsElsewhere } from './labels.ts'
import type { FolderAt, Mailboxes } from './mailboxes.ts'
import type { Looked, Messages } from './messages.ts'
import { copying, moving, type Relabelling } from './relabel.ts'
import type { UidStore } from './uids/store.ts'

export interface WritingParts {
  readonly client: GmailClient
  readonly mailboxes: Mailboxes
  readonly messages: Messages
  readonly uids: UidStore
}

/** As many as Gmail takes at once. */
const AT_ONCE = 1000
const NOT_GRANTED =
  'the access that was granted does not cover deleting for good; move the message to Trash, or grant full access to Gmail'

export class Writing {
  readonly #parts: WritingParts

  constructor(parts: WritingParts) {
    this.#parts = parts
  }

  async changeFlags(
    at: MailboxAt,
    uid: number,
    change: 'add' | 'remove',
    flags: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    // What can never be a flag is refused whatever the message.
    labelChange('remove', flags, false)
    const { folder, message } = await this.#look(at, uid, signal)
    const { add, remove, deleted } = labelChange(change, flags, message.labels.includes('DRAFT'))
    await this.#modify(message, { add, remove }, 'store', signal)
    if (deleted !== undefined) await this.#parts.uids.mark(folder.id, [uid], deleted, signal)
  }

  async copy(at: MailboxAt, uid: number, to: string, signal: AbortSignal): Promise<Placed> {
    const { folder, message } = await this.#look(at, uid, signal)
    const target = await this.#parts.mailboxes.destination(to, signal)
    await this.#modify(message, copying(folder, target, message.labels), 'copy', signal)
    return this.#placed(target, message.id, signal)
  }

  async move(at: MailboxAt, uid: number, to: string, signal: AbortSignal): Promise<Placed> {
    const { folder, message } = await this.#look(at, uid, signal)
    const target = await this.#parts.mailboxes.destination(to, signal)
    await this.#modify(message, moving(folder, target, message.labels), 'move', signal)
    if (folder.id !== target.id && folder.id !== ALL_MAIL) await this.#parts.uids.drop(folder.id, [message.id], signal)
    return this.#placed(target, message.id, signal)
  }

  async expunge(at: MailboxAt, uid: number, signal: AbortSignal): Promise<void> {
    const { folder, message } = await this.#look(at, uid, signal)
    if (!message.flags.includes('\\Deleted')) {
      throw new Failure('conflict', 'the message is not marked \\Deleted, so it is not removed')
    }
    if (standsElsewhere(folder, message.labels)) {
      mustBeRemovable(folder)
      await this.#modify(message, { add: [], remove: [folder.id] }, 'expunge', signal)
    } else {
      const path = `messages/${segment(message.id)}`
      await granted(this.#parts.client.write({ method: 'DELETE', path, stage: 'expunge' }, signal))
    }
    await this.#parts.uids.drop(folder.id, [message.id], signal)
  }

  /** Those that are there. */
  async removeMany(at: MailboxAt, uids: readonly number[], signal: AbortSignal): Promise<'expunged' | 'flagged'> {
    const { mailboxes, messages } = this.#parts
    const place = await mailboxes.at(at, signal)
    const found = await messages.list(place, [...new Set(uids)], signal)
    const [elsewhere, here] = partition(found, ({ labels }) => standsElsewhere(place.folder, labels))
    if (elsewhere.length > 0) mustBeRemovable(place.folder)
    try {
      await this.#inBatches('batchModify', elsewhere, { removeLabelIds: [place.folder.id] }, signal)
      await this.#inBatches('batchDelete', here, {}, signal)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'auth_failed') throw error
      await this.#parts.uids.mark(place.folder.id, uidsOf(found), true, signal)
      return 'flagged'
    }
    await this.#parts.uids.drop(place.folder.id, idsOf(found), signal)
    return 'expunged'
  }

  async #look(at: MailboxAt, uid: number, signal: AbortSignal): Promise<{ folder: Folder; message: Looked }> {
    const place: FolderAt = await this.#parts.mailboxes.at(at, signal)
    return { folder: place.folder, message: await this.#parts.messages.one(place, uid, signal) }
  }

  /** Only what is other than it is. */
  async #modify({ id, labels }: Looked, change: Relabelling, stage: string, signal: AbortSignal): Promise<void> {
    const addLabelIds = change.add.filter((label) => !labels.includes(label))
    const removeLabelIds = change.remove.filter((label) => labels.includes(label))
    if (addLabelIds.length + removeLabelIds.length === 0) return
    const path = `messages/${segment(id)}/modify`
    await this.#parts.client.write({ method: 'POST', path, body: { addLabelIds, removeLabelIds }, stage }, signal)
  }

  async #inBatches(
    call: 'batchModify' | 'batchDelete',
    messages: readonly Looked[],
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let start = 0; start < messages.length; start += AT_ONCE) {
      const ids = idsOf(messages.slice(start, start + AT_ONCE))
      const path = `messages/${call}`
      await this.#parts.client.write({ method: 'POST', path, body: { ...body, ids }, stage: 'expunge' }, signal)
    }
  }

  async #placed(folder: Folder, id: string, signal: AbortSignal): Promise<Placed> {
    const given = await this.#parts.uids.assign(folder.id, [id], signal)
    const { uidvalidity } = await this.#parts.uids.state(folder.id, signal)
    return { uidvalidity, uid: given.get(id) ?? 0 }
  }
}

function mustBeRemovable({ id, name }: Folder): void {
  if (id !== 'SENT' && id !== 'DRAFT') return
  throw new Failure('unsupported', `Gmail keeps it in ${name} as long as it lives; move it to Trash instead`)
}

async function granted(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'auth_failed') throw error
    throw new Failure('auth_failed', NOT_GRANTED, { cause: error, stage: 'expunge' })
  }
}

function idsOf(messages: readonly Looked[]): string[] {
  return messages.map(({ id }) => id)
}

function uidsOf(messages: readonly Looked[]): number[] {
  return messages.map(({ uid }) => uid)
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}
