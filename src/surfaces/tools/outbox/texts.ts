/**
 * The words that the texts of this set are made of.
 *
 * INVARIANT: everything in a text that is not our own is one line, clean and cut; of a recipient no more is told than who knows the
 * address would recognise.
 */

import { cut } from '../../../core/text/cut.ts'
import { cleanLine } from '../../../core/text/plain.ts'
import { redactedAddress } from '../../../core/text/redacted-address.ts'

const MOST_SHOWN = 200
const MINUTE_MS = 60_000

export function oneLine(text: string, most: number = MOST_SHOWN): string {
  const shown = cut(cleanLine(text).text, most)
  return shown.truncated ? `${shown.text}…` : shown.text
}

/** `j***@example.com, a***@example.org` */
export function redacted(addresses: readonly string[]): string {
  return [...new Set(addresses.map(redactedAddress))].join(', ')
}

/** `12 minutes`, never fewer than it takes. */
export function minutes(ms: number): string {
  const whole = Math.max(1, Math.ceil(ms / MINUTE_MS))
  return whole === 1 ? '1 minute' : `${whole} minutes`
}
