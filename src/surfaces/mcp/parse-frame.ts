/** What a frame holds: one value, a batch of them, or nothing that can be read, with the error that says so. */
import { type Frame, MAX_MESSAGE_BYTES } from './framing.ts'
import { INVALID_REQUEST, PARSE_ERROR } from './json-rpc.ts'

export type Received =
  | { readonly kind: 'single'; readonly value: unknown }
  | { readonly kind: 'batch'; readonly values: readonly unknown[] }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }

const MAX_BATCH = 100

export function parseFrame(frame: Frame): Received {
  if (frame.kind === 'too_large')
    return refused(INVALID_REQUEST, `a message may have at most ${MAX_MESSAGE_BYTES} bytes`)
  if (frame.kind === 'bad_header') return refused(PARSE_ERROR, 'the Content-Length header cannot be read')
  let value: unknown
  try {
    value = JSON.parse(frame.text)
  } catch {
    return refused(PARSE_ERROR, 'the message is not valid JSON')
  }
  if (!Array.isArray(value)) return { kind: 'single', value }
  if (value.length > 0 && value.length <= MAX_BATCH) return { kind: 'batch', values: value }
  return refused(INVALID_REQUEST, `a batch holds 1 to ${MAX_BATCH} messages; got ${value.length}`)
}

function refused(code: number, message: string): Received {
  return { kind: 'refused', code, message }
}
