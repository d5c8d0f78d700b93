/**
 * Brings an archive of mail into a local mailbox.
 *
 * INVARIANT: what was read is stored together with how far reading came, so an import that is killed at any moment goes
 * on where it was, and one that is run again adds nothing twice.
 */
import { Failure } from '../../core/failure.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LocalMailbox } from '../../ports/local-mailbox.ts'
import type { ArchiveSource, MailArchive } from '../../ports/mail-archive.ts'
import { Batch } from './batch.ts'
import { type ImportProgress, type ImportSummary, Tally } from './tally.ts'

export interface ImportParts {
  readonly archive: MailArchive
  readonly mailbox: LocalMailbox
  readonly clock: Clock
}

export interface ImportRequest {
  readonly path: string
  /** One mailbox for everything, instead of the archive's own folders. */
  readonly into?: string
  readonly signal: AbortSignal
  onProgress(progress: ImportProgress): void
}

export async function importMail(parts: ImportParts, request: ImportRequest): Promise<ImportSummary> {
  const sources = await parts.archive.open(request.path, request.signal)
  const tally = new Tally(parts.clock, sources)
  for (const source of sources) await importSource(parts, request, source, tally)
  const summary = tally.summary()
  if (summary.read + summary.deleted + summary.resumedBytes === 0) {
    throw new Failure('invalid_input', `no message could be read from ${request.path}`)
  }
  return summary
}

async function importSource(
  { mailbox }: ImportParts,
  { into, signal, onProgress }: ImportRequest,
  source: ArchiveSource,
  tally: Tally,
): Promise<void> {
  const position = await mailbox.bookmark(source.identity)
  tally.begin(position === undefined ? 0 : source.bytesBefore(position))
  let batch = new Batch()
  const store = async (): Promise<void> => {
    if (batch.position === undefined) return
    const bookmark = { source: source.identity, position: batch.position }
    const { added } = await mailbox.appendMany(batch.filings, bookmark, signal)
    tally.stored(batch, added, source.bytesBefore(batch.position))
    onProgress(tally.progress())
    batch = new Batch()
  }
  for await (const item of source.read(position, signal)) {
    batch.take(item, into)
    if (batch.isFull) await store()
  }
  await store()
  tally.finish(source.bytes)
  onProgress(tally.progress())
  await mailbox.forgetBookmark(source.identity)
}
