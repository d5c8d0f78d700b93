/** The Message-ID of a message as a number to look it up by; the id itself is then compared. */
import { hash } from 'node:crypto'

/** So many bytes as a number holds exactly. */
const BYTES = 6

export function hashOfId(id: string): number {
  return hash('sha1', id, 'buffer').readUIntBE(0, BYTES)
}
