/**
 * One attachment, decoded.
 *
 * INVARIANT: its size is checked before it is downloaded. One that is too large for an answer goes to a file of ours.
 */
import { Failure } from '../../core/failure.ts'
import type { Part } from '../../core/message.ts'
import { attachmentsOf, decodedSize } from '../../core/mime/bodies.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import { cleanText } from '../../core/text/plain.ts'
import type { Perform } from './workshop.ts'

const LARGEST_ATTACHMENT = 10 * 1024 * 1024

export const readAttachment: Perform<'read_attachment'> = async (action, workshop) => {
  const { message, part: wanted, inlineBytes } = action
  const { structure } = await workshop.opened(message)
  const part = chosen(structure, wanted)
  if (part === undefined) throw new Failure('not_found', 'the message has no such attachment', { stage: 'attachment' })
  if (decodedSize(part) > LARGEST_ATTACHMENT) throw tooLarge()
  const { source } = workshop.accounts.get(message.account)
  const [downloaded] = await source.parts(message, message.uid, [{ id: part.id, maxBytes: part.size }], workshop.signal)
  if (downloaded === undefined)
    throw new Failure('not_found', 'the attachment is no longer there', { stage: 'attachment' })
  const bytes = decodeTransfer(downloaded.bytes, part.encoding)
  const filename = part.filename === undefined ? undefined : cleanText(part.filename).text
  const isFile = inlineBytes !== undefined && bytes.length > inlineBytes
  return {
    part: part.id,
    type: part.type,
    filename,
    size: bytes.length,
    digest: workshop.seal.digest(bytes),
    bytes: isFile ? new Uint8Array() : bytes,
    savedTo: isFile ? await workshop.files.save(filename, bytes) : undefined,
  }
}

/** By its number, else by its file name as it is written or shown; without either the first attachment. */
function chosen(root: Part, wanted: string | undefined): Part | undefined {
  const attached = attachmentsOf(root)
  if (wanted === undefined) return attached[0]
  const numbered = partNamed(root, wanted)
  if (numbered !== undefined && numbered.children.length === 0) return numbered
  return attached.find(
    ({ filename }) => filename !== undefined && [filename, cleanText(filename).text].includes(wanted),
  )
}

function tooLarge(): Failure {
  return new Failure('too_large', `the attachment is larger than ${LARGEST_ATTACHMENT} bytes`, { stage: 'attachment' })
}

function partNamed(root: Part, id: string): Part | undefined {
  const open: Part[] = [root]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.id === id) return part
    open.push(...part.children)
  }
  return undefined
}
