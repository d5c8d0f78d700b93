/** The attachments of a message, and the text of the PDFs among them where it was asked for. */
import { mergeWarnings, type Warning } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import { attachmentsOf, decodedSize } from '../../core/mime/bodies.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import type { AttachmentView, Issue } from '../../core/results.ts'
import { cleanText } from '../../core/text/plain.ts'
import type { PartWanted } from '../../ports/mail-source.ts'
import { Steps } from './steps.ts'
import type { Workshop } from './workshop.ts'

const MOST_LISTED = 50
const LARGEST_PDF = 5 * 1024 * 1024
/** All PDFs of one call together: what is beyond is named in an issue. */
const MOST_PDF_BYTES = 4 * LARGEST_PDF

export interface Pdfs {
  readonly maxChars: number
  readonly wanted: readonly PartWanted[]
  readonly issues: readonly Issue[]
}

export interface Attachments {
  readonly list: readonly AttachmentView[]
  readonly warnings: readonly Warning[]
  readonly issues: readonly Issue[]
}

/** Which PDFs to download, decided on their sizes before anything is. */
export function pdfsToRead(root: Part, maxChars: number | undefined): Pdfs {
  if (maxChars === undefined) return { maxChars: 0, wanted: [], issues: [] }
  const wanted: PartWanted[] = []
  const issues: Issue[] = []
  let room = MOST_PDF_BYTES
  for (const part of listedParts(root).filter(({ type }) => type === 'application/pdf')) {
    const size = decodedSize(part)
    if (size > LARGEST_PDF || size > room) {
      issues.push(tooLarge(part, size > LARGEST_PDF ? LARGEST_PDF : MOST_PDF_BYTES))
      continue
    }
    room -= size
    wanted.push({ id: part.id, maxBytes: part.size })
  }
  return { maxChars, wanted, issues }
}

export async function attachmentsIn(
  root: Part,
  parts: ReadonlyMap<string, PartBytes>,
  { maxChars, wanted, issues }: Pdfs,
  { content, signal }: Workshop,
): Promise<Attachments> {
  const steps = new Steps()
  const warnings: (readonly Warning[])[] = []
  const asked = new Set(wanted.map(({ id }) => id))
  const view = async (part: Part): Promise<AttachmentView> => {
    const filename = part.filename === undefined ? undefined : cleanText(part.filename)
    warnings.push(filename?.warnings ?? [])
    const base = { part: part.id, filename: filename?.text, type: part.type }
    const downloaded = asked.has(part.id) ? parts.get(part.id) : undefined
    if (downloaded === undefined) return { ...base, size: decodedSize(part), text: undefined, textTruncated: false }
    const bytes = decodeTransfer(downloaded.bytes, part.encoding)
    const size = bytes.length
    const read = await steps.run(`read_attachment ${part.id}`, () => content.pdf(bytes, maxChars, signal))
    if (!read.ok) return { ...base, size, text: undefined, textTruncated: false }
    warnings.push(read.value.warnings)
    return { ...base, size, text: read.value.text, textTruncated: read.value.truncated }
  }
  const list = await Promise.all(listedParts(root).map(view))
  return { list, warnings: mergeWarnings(...warnings), issues: [...issues, ...steps.issues] }
}

function listedParts(root: Part): readonly Part[] {
  return attachmentsOf(root).slice(0, MOST_LISTED)
}

function tooLarge(part: Part, limit: number): Issue {
  return {
    code: 'too_large',
    stage: `read_attachment ${part.id}`,
    message: `part ${part.id} is beyond the ${limit} bytes whose text can be extracted`,
    retryable: false,
  }
}
