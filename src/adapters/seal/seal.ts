/**
 * Tokens `<form><payload>.<mac>`: base64url, HMAC-SHA-256 cut to 16 bytes over form and text, and the text under AES in
 * counter mode from that MAC on. Each half has a key of its own.
 *
 * INVARIANT: nothing is unpacked before its MAC is checked, and each text that opens has one spelling only: base64 that
 * decodes to the same bytes but is written otherwise is refused. The same text always gives the same token.
 */
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Seal } from '../../ports/seal.ts'
import { notOurs } from './failures.ts'
import { sharedKey } from './key.ts'

const PLAIN = 'p'
const DEFLATED = 'd'
const MAC_BYTES = 16
const CIPHER = 'aes-256-ctr'
const SHAPE = /^([pd])([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]{22})$/

interface Keys {
  readonly mac: Buffer
  readonly cipher: Buffer
}

export function createSeal({ directory }: { readonly directory: string }): Seal {
  let keys: Promise<Keys> | undefined

  /** Read with the first token. A failure is not kept: the next one tries again. */
  function keysOnce(): Promise<Keys> {
    keys ??= sharedKey(directory).then(derived, (error: unknown) => {
      keys = undefined
      throw error
    })
    return keys
  }

  return {
    async seal(text) {
      const { form, bytes } = pack(text)
      const using = await keysOnce()
      const mark = mac(using, form, bytes)
      const cipher = createCipheriv(CIPHER, using.cipher, mark)
      const payload = Buffer.concat([cipher.update(bytes), cipher.final()])
      return `${form}${payload.toString('base64url')}.${mark.toString('base64url')}`
    },
    async open(token) {
      const [, form, payload, given] = SHAPE.exec(token) ?? []
      if (form === undefined || payload === undefined || given === undefined) throw notOurs()
      const [hidden, claimed] = [exactly(payload), exactly(given)]
      const using = await keysOnce()
      const decipher = createDecipheriv(CIPHER, using.cipher, claimed)
      const bytes = Buffer.concat([decipher.update(hidden), decipher.final()])
      if (!timingSafeEqual(mac(using, form, bytes), claimed)) throw notOurs()
      return (form === DEFLATED ? inflateRawSync(bytes) : bytes).toString()
    },
    digest: (text) => hash('sha256', text, 'hex'),
  }
}

function pack(text: string): { readonly form: string; readonly bytes: Buffer } {
  const plain = Buffer.from(text)
  const deflated = deflateRawSync(plain, { level: 9 })
  return deflated.length < plain.length ? { form: DEFLATED, bytes: deflated } : { form: PLAIN, bytes: plain }
}

/** Base64 has several spellings for the same bytes; only ours is taken. */
function exactly(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw notOurs()
  return bytes
}

function derived(key: Buffer): Keys {
  const part = (name: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `postern seal ${name}`, 32))
  return { mac: part('mac'), cipher: part('cipher') }
}

function mac({ mac: key }: Keys, form: string, bytes: Buffer): Buffer {
  return createHmac('sha256', key).update(form).update(bytes).digest().subarray(0, MAC_BYTES)
}
