/** One attachment, decoded. Its size is checked before it is downloaded. */
import { Failure } from '../../core/failure.ts'
import type { Part } from '../../core/message.ts'
import { decodedSize } from '../../core/mime/bodies.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import type { Perform } from './workshop.ts'

const LARGEST_ATTACHMENT = 10 * 1024 * 1024

export const readAttachment: Perform<'read_attachment'> = async ({ message, part: id }, { accounts, signal }) => {
  const { source } = accounts.get(message.account)
  const { structure } = await source.open(message, message.uid, signal)
  const part = partNamed(structure, id)
  if (part === undefined || part.children.length > 0) throw new Failure('not_found', `the message has no part ${id}`)
  if (decodedSize(part) > LARGEST_ATTACHMENT) {
    throw new Failure('too_large', `part ${id} is larger than ${LARGEST_ATTACHMENT} bytes`)
  }
  const [downloaded] = await source.parts(message, message.uid, [{ id, maxBytes: part.size }], signal)
  if (downloaded === undefined) throw new Failure('not_found', `part ${id} is no longer there`)
  return { type: part.type, filename: part.filename, bytes: decodeTransfer(downloaded.bytes, part.encoding) }
}

function partNamed(root: Part, id: string): Part | undefined {
  const open: Part[] = [root]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.id === id) return part
    open.push(...part.children)
  }
  return undefined
}
