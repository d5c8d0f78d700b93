/** Items of an archive that were read and are not yet stored. */
import type { Filing } from '../../ports/local-mailbox.ts'
import type { ArchivedMessage, ArchiveItem } from '../../ports/mail-archive.ts'
import { placeMessage } from './place.ts'

/** One transaction holds at most so much: enough to be quick, little enough that a kill loses nothing worth telling. */
const MAX_ITEMS = 500
const MAX_BYTES = 16 * 1024 * 1024

export class Batch {
  readonly filings: Filing[] = []
  /** For each filing, which message of the batch it is of: one with several labels has several. */
  readonly messageOf: number[] = []
  readonly unreadable: string[] = []
  messages = 0
  deleted = 0
  /** Where the archive goes on behind this batch. */
  position: string | undefined
  #bytes = 0

  get isFull(): boolean {
    return this.messages + this.deleted + this.unreadable.length >= MAX_ITEMS || this.#bytes >= MAX_BYTES
  }

  take(item: ArchiveItem, into: string | undefined): void {
    this.position = item.position
    if (item.kind === 'unreadable') this.unreadable.push(item.reason)
    else this.#takeMessage(item, into)
  }

  #takeMessage(message: ArchivedMessage, into: string | undefined): void {
    const placement = placeMessage(message, into)
    if (placement === undefined) {
      this.deleted += 1
      return
    }
    const { bytes, fingerprint: key } = message
    const { places, flags, received } = placement
    for (const { mailbox, role } of places) {
      this.filings.push({ mailbox, bytes, flags, received, key, ...(role === undefined ? {} : { role }) })
      this.messageOf.push(this.messages)
    }
    this.messages += 1
    this.#bytes += bytes.length
  }
}
