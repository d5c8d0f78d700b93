/**
 * How the lines of a body travel.
 *
 * INVARIANT: what comes out is ASCII in lines of at most 998 characters, and decodes to exactly the lines that went in.
 */
import { base64Lines } from './base64.ts'

export interface EncodedBody {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly text: string
}

const LONGEST_LINE = 998
const LONGEST_ENCODED = 76
const PLAIN_LINE = /^[\t -~]*$/

export function encodeBody(lines: readonly string[]): EncodedBody {
  if (lines.every((line) => PLAIN_LINE.test(line) && line.length <= LONGEST_LINE)) {
    return { encoding: '7bit', text: lines.join('\r\n') }
  }
  const quoted = lines.map(quotedPrintable).join('\r\n')
  const bytes = new TextEncoder().encode(lines.join('\r\n'))
  const binaryLength = Math.ceil(bytes.length / 3) * 4 * (1 + 2 / LONGEST_ENCODED)
  if (quoted.length <= binaryLength) return { encoding: 'quoted-printable', text: quoted }
  // Ends with a whole line, as the others do: it may be the last of the message.
  return { encoding: 'base64', text: `${base64Lines(bytes)}\r\n` }
}

/** A blank at the end of a line must be encoded: it would be lost on the way. */
function quotedPrintable(line: string): string {
  const bytes = new TextEncoder().encode(line)
  const lines: string[] = []
  let current = ''
  for (const [at, byte] of bytes.entries()) {
    const isBlank = byte === 0x20 || byte === 0x09
    const plain = isBlank ? at < bytes.length - 1 : byte > 0x20 && byte < 0x7f && byte !== 0x3d
    const form = plain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
    // Room for the mark of a soft break.
    if (current.length + form.length > LONGEST_ENCODED - 1) {
      lines.push(`${current}=`)
      current = ''
    }
    current += form
  }
  return [...lines, current].join('\r\n')
}
