/** What makes a message the same message: its bytes, but for header fields in which mail programs keep notes. */
import { createHash } from 'node:crypto'
import { headerExtent } from '../../core/mime/header.ts'

const NOTES = /^(?:x-gmail-labels|status|x-status|x-mozilla-status2?|x-mozilla-keys|x-keywords|x-uid)[ \t]*:/i
const LF = 0x0a

export function fingerprint(bytes: Uint8Array): string {
  const { end } = headerExtent(bytes)
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, end)
  const hash = createHash('sha256')
  let noted = false
  for (let line = 0; line < end; ) {
    const feed = header.indexOf(LF, line)
    const next = feed === -1 ? end : feed + 1
    const continues = header[line] === 0x20 || header[line] === 0x09
    if (!continues) noted = NOTES.test(header.toString('latin1', line, Math.min(next, line + 40)))
    if (!noted) hash.update(header.subarray(line, next))
    line = next
  }
  return hash.update(bytes.subarray(end)).digest('hex')
}
