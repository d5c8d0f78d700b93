/**
 * Warns of text that stands where no mail program looks: around the parts of a multipart, and in parts never shown.
 *
 * Such text is not shown to the agent either. Of a long message only the beginning is looked at.
 */
import type { Warning } from '../../core/content.ts'
import type { Opened, PartBytes } from '../../core/message.ts'
import { parseStructure } from '../../core/mime/structure.ts'
import { countUnseenParts, countUnseenText } from '../../core/mime/unseen.ts'
import type { PartWanted } from '../../ports/mail-source.ts'
import { messageStart } from './message-start.ts'

const LOOKED_AT_BYTES = 8192

export function unseenWanted({ structure }: Opened): PartWanted[] {
  return structure.type.startsWith('multipart/') ? [{ id: structure.id, maxBytes: LOOKED_AT_BYTES }] : []
}

export function unseenWarnings({ header, structure }: Opened, parts: ReadonlyMap<string, PartBytes>): Warning[] {
  const body = structure.type.startsWith('multipart/') ? parts.get(structure.id) : undefined
  const start = body && messageStart(header, body.bytes)
  const around = start === undefined ? 0 : countUnseenText(start, parseStructure(start).root)
  return [{ kind: 'hidden_text_removed', count: around + countUnseenParts(structure) }]
}
