/**
 * A message on its way to Gmail: inside the JSON while it is short, beside it (a multipart upload) where it is long, since Google
 * takes no long JSON.
 */
import { randomBytes } from 'node:crypto'

/** Long ones are uploaded: base64 would make more than Google takes of them. */
const MOST_IN_JSON = 3 * 1024 * 1024

export interface MimeBody {
  readonly bytes: Uint8Array
  /** Where its bytes stand in the resource: in a message itself, or in the message of a draft. */
  readonly in: 'message' | 'draft'
}

export interface EncodedBody {
  readonly type: string
  readonly bytes: string | Uint8Array<ArrayBuffer>
  readonly upload: boolean
}

type Json = Readonly<Record<string, unknown>>

export function jsonBody(value: Json): EncodedBody {
  return { type: 'application/json', bytes: JSON.stringify(value), upload: false }
}

export function mimeBody(value: Json, { bytes, in: place }: MimeBody): EncodedBody {
  if (bytes.length > MOST_IN_JSON) return uploadBody(value, bytes)
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
  if (place === 'message') return jsonBody({ ...value, raw })
  return jsonBody({ ...value, message: { ...objectIn(value['message']), raw } })
}

function uploadBody(value: Json, bytes: Uint8Array): EncodedBody {
  const boundary = `postern-${randomBytes(16).toString('hex')}`
  const start = `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(value)}\r\n`
  const middle = `--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n`
  const whole = Buffer.concat([Buffer.from(start + middle), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { type: `multipart/related; boundary=${boundary}`, bytes: whole, upload: true }
}

function objectIn(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
