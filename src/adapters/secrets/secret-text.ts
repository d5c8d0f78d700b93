/**
 * What is in a store and what is a secret: the one line break that editors put at the end is not part of it.
 *
 * INVARIANT: what `secretOf` gives is not empty and does not end in a line break; what `bytesOf` lets through is given back
 * unchanged by `secretOf`.
 */
import { tooLarge, unfit, unfitToWrite } from './failures.ts'

export const MOST_BYTES = 64 * 1024

export function secretOf(ref: string, bytes: Uint8Array): string {
  if (bytes.length > MOST_BYTES) throw tooLarge(ref, MOST_BYTES)
  const text = decoded(bytes)
  if (text === undefined) throw unfit(ref, 'it is not UTF-8 text')
  const secret = text.replace(/\r?\n$/, '')
  const why = flaw(secret)
  if (why !== undefined) throw unfit(ref, why)
  return secret
}

export function bytesOf(ref: string, secret: string): Uint8Array {
  const why = flaw(secret)
  if (why !== undefined) throw unfitToWrite(ref, why)
  if (!secret.isWellFormed() || secret.startsWith('\ufeff')) throw unfitToWrite(ref, 'it is not plain text')
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length > MOST_BYTES) throw tooLarge(ref, MOST_BYTES)
  return bytes
}

function flaw(secret: string): string | undefined {
  if (secret === '') return 'it is empty'
  return /[\r\n]$/.test(secret) ? 'it ends in a line break too many' : undefined
}

/** Without the mark that some editors put at the beginning. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
