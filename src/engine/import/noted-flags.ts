/**
 * Flags that mail programs note in the header: `Status: RO`, `X-Status: AF`, `X-Mozilla-Status: 0001`.
 *
 * A message without any note counts as read: an archive of ten years would otherwise be ten thousand unread messages.
 */
import { firstField, type HeaderField } from '../../core/mime/header.ts'

const LETTERS: Readonly<Record<string, string>> = {
  R: '\\Seen',
  A: '\\Answered',
  F: '\\Flagged',
  T: '\\Draft',
  D: '\\Deleted',
}
const MOZILLA = [
  [0x0001, '\\Seen'],
  [0x0002, '\\Answered'],
  [0x0004, '\\Flagged'],
  [0x1000, '$Forwarded'],
] as const
const MOZILLA_EXPUNGED = 0x0008

export function notedFlags(header: readonly HeaderField[]): string[] {
  const mozilla = mozillaStatus(header)
  if (mozilla !== undefined) return MOZILLA.flatMap(([bit, flag]) => ((mozilla & bit) === 0 ? [] : [flag]))
  const letters = [firstField(header, 'status'), firstField(header, 'x-status')]
  if (letters.every((noted) => noted === undefined)) return ['\\Seen']
  return [...new Set(letters.join(''))].flatMap((letter) => LETTERS[letter] ?? [])
}

/** Deleted by its owner, and in the file only until that is next compacted. */
export function isExpunged(header: readonly HeaderField[]): boolean {
  return ((mozillaStatus(header) ?? 0) & MOZILLA_EXPUNGED) !== 0
}

function mozillaStatus(header: readonly HeaderField[]): number | undefined {
  const value = firstField(header, 'x-mozilla-status')
  return value !== undefined && /^[0-9a-fA-F]{4}$/.test(value) ? Number.parseInt(value, 16) : undefined
}
