/**
 * What is read of a message so that it can be found by its words.
 *
 * INVARIANT: decided on sizes before anything is downloaded, and never more than so much of any message.
 */
import { MOST_ENCODED_TEXT } from '../../core/content.ts'
import type { Part } from '../../core/message.ts'
import { attachmentsOf, type Body, chooseBodies } from '../../core/mime/bodies.ts'
import { type DocumentKind, documentKind } from '../../core/mime/documents.ts'
import type { PartWanted } from '../../ports/mail-source.ts'

const DOCUMENT_BYTES = 5 * 1024 * 1024
/** Most texts and documents are shorter. */
const LEAST_ROOM = 65_536
const MOST_DOCUMENT_BYTES = 4 * DOCUMENT_BYTES
/** As many as are listed of a message that is read. */
const MOST_DOCUMENTS = 50

export interface Document {
  readonly part: Part
  readonly kind: DocumentKind
}

export interface WantedParts {
  readonly bodies: readonly Body[]
  readonly documents: readonly Document[]
  /** What to download: both versions of each text, since what only the plain one says is searched as uncertain text. */
  readonly first: readonly PartWanted[]
  /** About how many bytes that is. */
  readonly bytes: number
}

export function wantedParts(structure: Part, { documents: isDeep = true } = {}): WantedParts {
  const bodies = chooseBodies(structure)
  const documents = isDeep ? documentsIn(structure) : []
  const parts = bodies.flatMap(versions)
  const texts = textsWanted(parts)
  const files = documents.map(({ part }) => ({ id: part.id, maxBytes: roomFor(part.size) }))
  const bytes = [...parts, ...documents.map(({ part }) => part)].reduce((sum, { size }) => sum + size, 0)
  return { bodies, documents, first: [...texts, ...files], bytes }
}

/** The version that people see comes first: it has the room. */
export function versions({ plain, html }: Body): readonly Part[] {
  return [...html, ...plain]
}

/**
 * How much of each text is downloaded: all of it, where the texts of the message together are not longer than anything that is
 * read. A short one has room for more than its size, since servers report sizes that are too small.
 */
export function textsWanted(parts: readonly Part[], least = LEAST_ROOM): readonly PartWanted[] {
  let room = MOST_ENCODED_TEXT
  return parts.flatMap(({ id, size }) => {
    if (room <= 0) return []
    const maxBytes = Math.min(room, roomFor(Math.max(size, least)))
    room -= Math.min(size, maxBytes)
    return [{ id, maxBytes }]
  })
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
