/** The structure of a message as it is stored: JSON without names, since there are as many as there are messages. */
import type { Part } from '../../core/mime/part.ts'

type Stored = readonly [
  id: string,
  type: string,
  encoding: string,
  size: number,
  parameters: Readonly<Record<string, string>>,
  disposition: string | null,
  filename: string | null,
  contentId: string | null,
  description: string | null,
  children: readonly Stored[],
]

export function structureText(part: Part): string {
  return JSON.stringify(stored(part))
}

export function readStructure(text: string): Part {
  return read(JSON.parse(text) as Stored)
}

function stored(part: Part): Stored {
  return [
    part.id,
    part.type,
    part.encoding,
    part.size,
    part.parameters,
    part.disposition ?? null,
    part.filename ?? null,
    part.contentId ?? null,
    part.description ?? null,
    part.children.map(stored),
  ]
}

function read(of: Stored): Part {
  const [id, type, encoding, size, parameters, disposition, filename, contentId, description, children] = of
  return {
    id,
    type,
    parameters,
    disposition: disposition ?? undefined,
    filename: filename ?? undefined,
    contentId: contentId ?? undefined,
    ...(description !== null && { description }),
    encoding,
    size,
    children: children.map(read),
  }
}
