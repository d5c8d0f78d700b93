/** The attachments of a message, and the text of the documents among them where it was asked for. */
import { mergeWarnings, type Readable, type Warning } from '../../core/content.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import { attachmentsOf, decodedSize } from '../../core/mime/bodies.ts'
import { type DocumentKind, documentKind } from '../../core/mime/documents.ts'
import { FIRST_LINE_BYTES, LAST_BYTES, sizeFromEnds } from '../../core/mime/encoded-size.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import type { AttachmentView, Issue } from '../../core/results.ts'
import { cleanText } from '../../core/text/plain.ts'
import { uncertainPage } from '../../core/text/uncertain.ts'
import type { PartWanted } from '../../ports/mail-source.ts'
import { encodedText } from './encoded-text.ts'
import { Steps } from './steps.ts'
import type { Workshop } from './workshop.ts'

const MOST_LISTED = 50
const LARGEST_DOCUMENT = 5 * 1024 * 1024
/** All documents of one call together: what is beyond is named in an issue. */
const MOST_DOCUMENT_BYTES = 4 * LARGEST_DOCUMENT
/** Encoded bytes fetched of a text: no more of one is read. */
const TEXT_BYTES = 1024 * 1024
/** An attachment that is downloaded for its size alone, where its encoding does not tell it, and all of them together. */
const SHORT_BYTES = 64 * 1024
const MOST_SHORT_BYTES = 512 * 1024

export interface Documents {
  readonly maxChars: number
  readonly wanted: readonly PartWanted[]
  readonly issues: readonly Issue[]
}

export interface Attachments {
  readonly list: readonly AttachmentView[]
  readonly warnings: readonly Warning[]
  readonly issues: readonly Issue[]
}

/** Which documents to download, decided on their sizes before anything is. */
export function documentsToRead(root: Part, maxChars: number | undefined): Documents {
  if (maxChars === undefined) return { maxChars: 0, wanted: [], issues: [] }
  const wanted: PartWanted[] = []
  const issues: Issue[] = []
  let room = MOST_DOCUMENT_BYTES
  for (const part of listedParts(root)) {
    const kind = documentKind(part)
    if (kind === undefined) continue
    const size = decodedSize(part)
    if (size > LARGEST_DOCUMENT || size > room) {
      issues.push(tooLarge(part, size > LARGEST_DOCUMENT ? LARGEST_DOCUMENT : MOST_DOCUMENT_BYTES))
      continue
    }
    room -= size
    wanted.push({ id: part.id, maxBytes: isText(kind) ? Math.min(part.size, TEXT_BYTES) : part.size })
  }
  return { maxChars, wanted, issues }
}

/** What tells how large the attachments are that are not downloaded anyway: all of a short one, the ends of a long one. */
export function sizesToTell(root: Part, downloaded: readonly PartWanted[]): PartWanted[] {
  const taken = new Set(downloaded.map(({ id }) => id))
  let room = MOST_SHORT_BYTES
  return listedParts(root).flatMap(({ id, encoding, size }): PartWanted[] => {
    if (taken.has(id) || !isEncoded(encoding) || size === 0) return []
    if (size > (encoding === 'base64' ? FIRST_LINE_BYTES : SHORT_BYTES) || size > room) {
      return encoding === 'base64' && size > LAST_BYTES
        ? [{ id, maxBytes: FIRST_LINE_BYTES, lastFrom: size - LAST_BYTES }]
        : []
    }
    room -= size
    return [{ id, maxBytes: size }]
  })
}

export async function attachmentsIn(
  root: Part,
  parts: ReadonlyMap<string, PartBytes>,
  { maxChars, wanted, issues }: Documents,
  uncertainFrom: number | undefined,
  workshop: Pick<Workshop, 'content' | 'signal'>,
): Promise<Attachments> {
  const steps = new Steps()
  const warnings: (readonly Warning[])[] = []
  const asked = new Set(wanted.map(({ id }) => id))
  const view = async (part: Part): Promise<AttachmentView> => {
    const filename = part.filename === undefined ? undefined : cleanText(part.filename)
    warnings.push(filename?.warnings ?? [])
    const base = { part: part.id, filename: filename?.text, type: part.type }
    const size = sizeFromEnds(part, parts.get(part.id))
    const downloaded = asked.has(part.id) ? parts.get(part.id) : undefined
    const kind = documentKind(part)
    if (downloaded === undefined || kind === undefined) {
      return { ...base, size, text: undefined, textTruncated: false }
    }
    const reading = (): Promise<Readable> => documentText(kind, part, downloaded, maxChars, workshop)
    const read = await steps.run(`read_attachment ${part.id}`, reading)
    if (!read.ok) return { ...base, size, text: undefined, textTruncated: false }
    warnings.push(read.value.warnings)
    const uncertain = uncertainPage(read.value.uncertain, uncertainFrom)
    return {
      ...base,
      size,
      text: read.value.text,
      textTruncated: read.value.truncated,
      ...(uncertain && { uncertain }),
    }
  }
  const list = await Promise.all(listedParts(root).map(view))
  return { list, warnings: mergeWarnings(...warnings), issues: [...issues, ...steps.issues] }
}

/** The text of an attachment, read as what it says of itself. */
export function documentText(
  kind: DocumentKind,
  part: Part,
  { bytes, complete }: Pick<PartBytes, 'bytes' | 'complete'>,
  maxChars: number,
  { content, signal }: Pick<Workshop, 'content' | 'signal'>,
): Promise<Readable> {
  if (!isText(kind)) return content.document(kind, decodeTransfer(bytes, part.encoding), maxChars, signal)
  const type = kind === 'html' ? 'text/html' : 'text/plain'
  return content.text({ ...encodedText(part, bytes, complete), type }, maxChars, signal)
}

function isText(kind: DocumentKind): kind is 'html' | 'text' {
  return kind === 'html' || kind === 'text'
}

function isEncoded(encoding: string): boolean {
  return encoding === 'base64' || encoding === 'quoted-printable' || /^(?:x-)?uu/.test(encoding)
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
