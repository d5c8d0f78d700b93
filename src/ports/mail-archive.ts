/**
 * Mail that lies in files: mbox, Maildir or single messages.
 *
 * Promises: only reads. Messages come one by one, in the same order each time, and no more than one of them is held in
 * memory, however large the archive. `open` throws `Failure('not_found')` where there is nothing at the path and
 * `('invalid_input')` where there is no mail in it.
 */
export interface MailArchive {
  open(path: string, signal: AbortSignal): Promise<readonly ArchiveSource[]>
}

/** Something that is read from beginning to end: one mbox file, or a tree of message files. */
export interface ArchiveSource {
  readonly format: 'mbox' | 'maildir' | 'eml'
  readonly path: string
  /** The same text as long as nothing in the source has changed. */
  readonly identity: string
  readonly bytes: number
  /** From the beginning, or from behind the item that had this position. */
  read(position: string | undefined, signal: AbortSignal): AsyncIterable<ArchiveItem>
  /** How many bytes of the source lie before a position that it gave. */
  bytesBefore(position: string): number
}

export type ArchiveItem = ArchivedMessage | UnreadableItem

interface Placed {
  /** Where the source goes on behind this item. */
  readonly position: string
}

export interface ArchivedMessage extends Placed {
  readonly kind: 'message'
  /** Byte for byte, but for the `>` that mbox files put before a line that begins with `From `. */
  readonly bytes: Uint8Array
  /** The folder that the place of the file speaks of, levels parted by `/`. */
  readonly mailbox: string
  /** Absent where the format keeps them inside the message, if anywhere. */
  readonly flags: readonly string[] | undefined
  /** When it arrived, seconds since 1970, where the format says so. */
  readonly received: number | undefined
  /** The file's own time, for want of anything better. */
  readonly modified: number
  /** The same for the same message, whatever mail programs noted in its header since: read, labelled, flagged. */
  readonly fingerprint: string
}

export interface UnreadableItem extends Placed {
  readonly kind: 'unreadable'
  /** Our own words. */
  readonly reason: string
}
