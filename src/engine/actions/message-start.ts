/** The fields that say how a body is encoded, and its first bytes: a small message of its own, to be read as one. */
import type { HeaderField } from '../../core/mime/header.ts'

export function messageStart(header: readonly HeaderField[], body: Uint8Array): Uint8Array {
  const fields = header
    .filter(({ name }) => /^(content-|mime-)/i.test(name))
    .map(({ name, value }) => `${name}: ${value}\r\n`)
  const head = new TextEncoder().encode(`${fields.join('')}\r\n`)
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  return message
}
