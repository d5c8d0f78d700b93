/**
 * A place on disk for attachments that are too large for an answer.
 *
 * Promises: the file lies in one directory, whatever the name suggests; is nobody else's to read; never replaces another.
 * When `save` resolves the file is whole. A temporary one goes after an hour, when the process that saved it ends, and where that
 * was killed, soon after another process has started.
 */
export interface AttachmentFiles {
  /** Returns the absolute path. `filename` is only a hint. */
  save(filename: string | undefined, bytes: Uint8Array): Promise<string>
  terms(): Promise<AttachmentTerms>
  /** Removes temporary files that are over their time, and those of processes that are no more. */
  sweep(): Promise<void>
  /** Removes the temporary files of this process. */
  close(): Promise<void>
}

export interface AttachmentTerms {
  /** Attachments of more bytes are saved; absent where only a tool's own limit counts. */
  readonly saveAbove: number | undefined
  /** False where the user chose the directory: what is there stays. */
  readonly isTemporary: boolean
}
