/** SHA-256 in hex; a text counts as its UTF-8. */
import { hash } from 'node:crypto'

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}
