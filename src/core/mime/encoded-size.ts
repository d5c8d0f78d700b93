/**
 * The decoded size of a part of which only the beginning and the end are at hand.
 *
 * Base64 comes in lines of one length (RFC 2045 §6.8), so the first line and the last few bytes tell how much was encoded.
 * Mail whose lines differ gets an answer that may be off, as an estimate would be.
 */

import { decodedSize } from './bodies.ts'
import type { Part } from './part.ts'
import { decodeTransfer } from './transfer.ts'

/** Bytes at the beginning that hold a whole line: RFC 5322 §2.1.1 allows 998 characters. */
export const FIRST_LINE_BYTES = 1000
/** Padding and the line breaks after it. */
export const LAST_BYTES = 16

export interface Ends {
  /** From the first byte on. */
  readonly bytes: Uint8Array
  /** Whether that is all of it. */
  readonly complete: boolean
  /** Up to the last byte. */
  readonly last?: Uint8Array
}

/** Exact where `ends` tell it, else an estimate. */
export function sizeFromEnds(part: Pick<Part, 'encoding' | 'size'>, ends: Ends | undefined): number {
  if (ends?.complete === true) return decodeTransfer(ends.bytes, part.encoding).length
  const isTold = part.encoding === 'base64' && ends?.last !== undefined
  return (isTold ? base64Size(part.size, ends.bytes, ends.last) : undefined) ?? decodedSize(part)
}

function base64Size(size: number, first: Uint8Array, last: Uint8Array): number | undefined {
  const [, line = '', lineBreak = ''] = /^([A-Za-z0-9+/]+)(\r?\n)/.exec(latin1(first)) ?? []
  const [, padding, after] = /(={0,2})([\r\n]*)$/.exec(latin1(last)) ?? []
  if (padding === undefined || after === undefined) return undefined
  const written = size - after.length
  const breaks = line === '' ? 0 : Math.floor((written - 1) / (line.length + lineBreak.length))
  const characters = written - breaks * lineBreak.length
  return characters > 0 && characters % 4 === 0 ? (characters / 4) * 3 - padding.length : undefined
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
