/** The Message-ID of a message as a number to look it up by; the id itself is then compared. */
import { hash } from 'node:crypto'

/** So many bytes, in hexadecimal, as a number holds exactly. */
const DIGITS = 12

/** By way of its digits: a buffer for each id takes several times as long. */
export function hashOfId(id: string): number {
  return Number.parseInt(hash('sha1', id, 'hex').slice(0, DIGITS), 16)
}
