/** The Message-ID of a message as a number to look it up by; the id itself is then compared. */
import { createHash } from 'node:crypto'

/** So many bytes as a number holds exactly. */
const BYTES = 6

export function hashOfId(id: string): number {
  return createHash('sha1').update(id).digest().readUIntBE(0, BYTES)
}
