/** What makes a message the same message: its bytes, but for header fields in which mail programs keep notes. */
import { createHash } from 'node:crypto'
import { headerExtent } from '../../core/mime/header.ts'

const NOTES = /^(?:x-gmail-labels|status|x-status|x-mozilla-status2?|x-mozilla-keys|x-keywords|x-uid)[ \t]*:/i
const LONGEST_NOTE = 40
const LF = 0x0a

export function fingerprint(bytes: Uint8Array): string {
  const { end } = headerExtent(bytes)
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, end)
  const hash = createHash('sha256')
  let kept = 0
  let noted = false
  for (let line = 0; line < end; ) {
    const continues = header[line] === 0x20 || header[line] === 0x09
    if (!continues) {
      const isNote = NOTES.test(header.toString('latin1', line, Math.min(end, line + LONGEST_NOTE)))
      if (isNote && !noted) hash.update(header.subarray(kept, line))
      if (!isNote && noted) kept = line
      noted = isNote
    }
    const feed = header.indexOf(LF, line)
    line = feed === -1 ? end : feed + 1
  }
  return hash.update(bytes.subarray(noted ? end : kept)).digest('hex')
}
