/**
 * What is read of a message so that it can be found by its words.
 *
 * INVARIANT: decided on sizes before anything is downloaded, and never more than so much of any message.
 */
import type { Part } from '../../core/message.ts'
import { attachmentsOf, chooseBodies } from '../../core/mime/bodies.ts'
import { type DocumentKind, documentKind } from '../../core/mime/documents.ts'
import type { PartWanted } from '../../ports/mail-source.ts'

/** Encoded bytes of a text: what stands further down is not searched. */
const TEXT_BYTES = 65_536
const DOCUMENT_BYTES = 5 * 1024 * 1024
const LEAST_ROOM = 65_536
const MOST_DOCUMENT_BYTES = 4 * DOCUMENT_BYTES
/** As many as are listed of a message that is read. */
const MOST_DOCUMENTS = 50

export interface Document {
  readonly part: Part
  readonly kind: DocumentKind
}

export interface WantedParts {
  readonly plain: Part | undefined
  readonly html: Part | undefined
  readonly documents: readonly Document[]
  /** What to download first; the page behind a plain text only where there is nothing in that text. */
  readonly first: readonly PartWanted[]
  /** About how many bytes that is. */
  readonly bytes: number
}

export function wantedParts(structure: Part, { documents: isDeep = true } = {}): WantedParts {
  const { plain, html } = chooseBodies(structure)
  const documents = isDeep ? documentsIn(structure) : []
  const body = plain ?? html
  const files = documents.map(({ part }) => ({ id: part.id, maxBytes: roomFor(part.size) }))
  const first = [...(body === undefined ? [] : [textWanted(body)]), ...files]
  const fileBytes = documents.reduce((sum, { part }) => sum + part.size, 0)
  return { plain, html, documents, first, bytes: fileBytes + Math.min(body?.size ?? 0, TEXT_BYTES) }
}

/** Whatever the server says of its size: that must not cut what is there. */
export function textWanted({ id }: Part): PartWanted {
  return { id, maxBytes: TEXT_BYTES }
}

/** One of few limits that are large enough: of whom the same is wanted can be asked together. */
function roomFor(size: number): number {
  let room = LEAST_ROOM
  while (room < size) room *= 2
  return room
}

function documentsIn(structure: Part): Document[] {
  const documents: Document[] = []
  let room = MOST_DOCUMENT_BYTES
  for (const part of attachmentsOf(structure)) {
    if (documents.length >= MOST_DOCUMENTS) break
    const kind = documentKind(part)
    if (kind === undefined || part.size > DOCUMENT_BYTES || part.size > room) continue
    room -= part.size
    documents.push({ part, kind })
  }
  return documents
}
