/**
 * Tokens `<form><payload>.<mac>`: base64url, HMAC-SHA-256 cut to 16 bytes over form and payload.
 *
 * INVARIANT: nothing is unpacked before its MAC is checked, and each text that opens has one spelling only: base64 that
 * decodes to the same bytes but is written otherwise is refused.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Seal } from '../../ports/seal.ts'
import { notOurs } from './failures.ts'
import { sharedKey } from './key.ts'

const PLAIN = 'p'
const DEFLATED = 'd'
const MAC_BYTES = 16
const SHAPE = /^([pd])([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]{22})$/

export function createSeal({ directory }: { readonly directory: string }): Seal {
  let key: Promise<Buffer> | undefined

  /** Read with the first token. A failure is not kept: the next one tries again. */
  function keyOnce(): Promise<Buffer> {
    key ??= sharedKey(directory).catch((error: unknown) => {
      key = undefined
      throw error
    })
    return key
  }

  return {
    async seal(text) {
      const body = pack(text)
      return `${body}.${mac(await keyOnce(), body).toString('base64url')}`
    },
    async open(token) {
      const [, form, payload, given] = SHAPE.exec(token) ?? []
      if (form === undefined || payload === undefined || given === undefined) throw notOurs()
      const expected = mac(await keyOnce(), form + payload)
      const claimed = Buffer.from(given, 'base64url')
      if (!timingSafeEqual(expected, claimed) || claimed.toString('base64url') !== given) throw notOurs()
      return unpack(form, payload)
    },
    digest: (text) => hash('sha256', text, 'hex'),
  }
}

function pack(text: string): string {
  const plain = Buffer.from(text)
  const deflated = deflateRawSync(plain, { level: 9 })
  return deflated.length < plain.length
    ? DEFLATED + deflated.toString('base64url')
    : PLAIN + plain.toString('base64url')
}

function unpack(form: string, payload: string): string {
  const bytes = Buffer.from(payload, 'base64url')
  return (form === DEFLATED ? inflateRawSync(bytes) : bytes).toString()
}

/** Over the spelling, not the bytes: another spelling of the same bytes has another MAC. */
function mac(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES)
}
