/**
 * Mailbox names between people and servers: modified UTF-7 (RFC 3501, 5.1.3).
 *
 * INVARIANT: `encodeName(shownName(raw))` is `raw` for every name in the one right encoding. Any other name that a
 * server gives is shown as it came, and `isOdd` says so.
 */
import { decodeGuessed } from '../../core/mime/bytes.ts'

const ENCODED = /&([A-Za-z0-9+,]*)-/g
const NOT_PLAIN = /[^ -~]+|&/g
const CONTROL = /\p{Cc}/u

/** `raw` has one character for each byte, as the server sent it. */
export function shownName(raw: string): string {
  if (/^inbox$/i.test(raw)) return 'INBOX'
  return decodeName(raw) ?? decodeGuessed(Buffer.from(raw, 'latin1'))
}

/** What the server is sent for a name that a person sees, one character for each byte. */
export function encodeName(name: string): string {
  if (/^inbox$/i.test(name)) return 'INBOX'
  return name.replace(NOT_PLAIN, (run) => (run === '&' ? '&-' : `&${toBase64(run)}-`))
}

/** Whether the name could not be made from what is shown of it. */
export function isOdd(raw: string): boolean {
  return encodeName(shownName(raw)) !== raw && !/^inbox$/i.test(raw)
}

function decodeName(raw: string): string | undefined {
  const name = raw.replace(ENCODED, (_, base64: string) => (base64 === '' ? '&' : fromBase64(base64)))
  const sound = name.isWellFormed() && !CONTROL.test(name) && encodeName(name) === raw
  return sound ? name : undefined
}

function toBase64(text: string): string {
  const units = Buffer.from(text, 'utf16le').swap16()
  return units.toString('base64').replace(/=+$/, '').replaceAll('/', ',')
}

function fromBase64(text: string): string {
  const bytes = Buffer.from(text.replaceAll(',', '/'), 'base64')
  return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : ''
}
