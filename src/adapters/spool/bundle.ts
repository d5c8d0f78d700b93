/**
 * Several messages in one run of bytes: how many, then of each its id, its length and the SHA-256 of id and
 * bytes, then all their bytes.
 *
 * INVARIANT: what is taken out is what was put in for that id, or nothing: whatever happened to the bytes meanwhile.
 */
import { createHash } from 'node:crypto'
import type { Spooled } from '../../ports/spool.ts'

const COUNT_BYTES = 4
const ID_BYTES = 36
const LENGTH_AT = ID_BYTES
const HASH_AT = LENGTH_AT + 4
const ENTRY_BYTES = HASH_AT + 32

export function bundled(messages: readonly Spooled[]): Buffer {
  const head = Buffer.alloc(COUNT_BYTES + messages.length * ENTRY_BYTES)
  head.writeUInt32LE(messages.length)
  for (const [index, { txId, bytes }] of messages.entries()) {
    const at = COUNT_BYTES + index * ENTRY_BYTES
    head.write(txId, at, ID_BYTES, 'latin1')
    head.writeUInt32LE(bytes.length, at + LENGTH_AT)
    hashOf(txId, bytes).copy(head, at + HASH_AT)
  }
  return Buffer.concat([head, ...messages.map(({ bytes }) => bytes)])
}

export function unbundled(whole: Buffer, wanted: string): Uint8Array | undefined {
  const count = whole.length < COUNT_BYTES ? 0 : whole.readUInt32LE()
  let start = COUNT_BYTES + count * ENTRY_BYTES
  if (start > whole.length) return undefined
  for (let at = COUNT_BYTES; at < COUNT_BYTES + count * ENTRY_BYTES; at += ENTRY_BYTES) {
    const end = start + whole.readUInt32LE(at + LENGTH_AT)
    if (whole.toString('latin1', at, at + ID_BYTES) === wanted) {
      const bytes = whole.subarray(start, end)
      const isWhole =
        end <= whole.length && hashOf(wanted, bytes).equals(whole.subarray(at + HASH_AT, at + ENTRY_BYTES))
      // A copy: a part of it would keep the whole in memory.
      return isWhole ? Buffer.from(bytes) : undefined
    }
    start = end
  }
  return undefined
}

/** With the id: a message must not be taken for another one either. */
function hashOf(txId: string, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(txId).update(bytes).digest()
}
