/**
 * A place on disk for attachments that are too large for an answer.
 *
 * Promises: the file lies in one directory, whatever the name suggests; is nobody else's to read; never replaces another.
 * When `save` resolves the file is whole.
 */
export interface AttachmentFiles {
  /** Returns the absolute path. `filename` is only a hint. */
  save(filename: string | undefined, bytes: Uint8Array): Promise<string>
}
