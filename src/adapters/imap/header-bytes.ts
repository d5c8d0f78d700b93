/** How much of a header is read, and where it ends when there is more. */
import { type HeaderField, isFull, parseHeader } from '../../core/mime/header.ts'

/** The most that is read of one message's header. */
export const MAX_HEADER = 262_144

export interface ReadHeader {
  readonly header: readonly HeaderField[]
  readonly headerCut: boolean
}

/** `bytes` are at most `MAX_HEADER`. */
export function readHeader(bytes: Uint8Array): ReadHeader {
  const header = parseHeader(wholeFields(bytes, MAX_HEADER))
  return { header, headerCut: bytes.length >= MAX_HEADER || isFull(header) || beginsOddly(bytes) || endsWithCr(bytes) }
}

/** With a byte order mark the first field has one name to us and another one to the server, which picks fields by name. */
export function beginsOddly(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** Whether CR alone ends its lines: then all of the message is one field to the server, which picks fields by name. */
export function endsWithCr(bytes: Uint8Array): boolean {
  return !bytes.includes(0x0a) && bytes.includes(0x0d)
}

/** A header that was cut ends with its last whole field. */
export function wholeFields(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length < limit) return bytes
  for (let at = bytes.length - 1; at > 0; at -= 1) {
    const next = bytes[at + 1]
    if (bytes[at] === 0x0a && next !== undefined && next !== 0x20 && next !== 0x09) return bytes.subarray(0, at + 1)
  }
  return new Uint8Array()
}
