/**
 * One attachment, decoded.
 *
 * INVARIANT: its size is checked before it is downloaded, and where the caller set a limit, again once it is decoded. One
 * that is too large for an answer goes to a file of ours.
 */
import type { ReadAttachmentAction } from '../../core/action.ts'
import { Failure } from '../../core/failure.ts'
import type { Part, PartBytes } from '../../core/message.ts'
import { attachmentsOf, decodedSize } from '../../core/mime/bodies.ts'
import { documentKind } from '../../core/mime/documents.ts'
import { imageSize } from '../../core/mime/image-size.ts'
import { decodeTransfer } from '../../core/mime/transfer.ts'
import type { AttachmentContent } from '../../core/results.ts'
import { cleanText } from '../../core/text/plain.ts'
import { uncertainPage } from '../../core/text/uncertain.ts'
import { documentText } from './attachments.ts'
import type { Perform, Workshop } from './workshop.ts'

const LARGEST_ATTACHMENT = 10 * 1024 * 1024
/** A line of base64. */
const ABOUT = 64

export const readAttachment: Perform<'read_attachment'> = async (action, workshop) => {
  const { message, part: wanted, inlineBytes, mostBytes } = action
  const limit = Math.min(LARGEST_ATTACHMENT, mostBytes ?? LARGEST_ATTACHMENT)
  const { structure, header } = await workshop.opened(message)
  workshop.reading.message(workshop.accounts.get(message.account), header)
  const part = chosen(structure, wanted)
  if (part === undefined)
    throw new Failure('not_found', 'the message has no such attachment; reading the message lists those that it has', {
      stage: 'attachment',
    })
  // What a size promises is about right: where the limit is the caller's, what was decoded is measured too.
  if (decodedSize(part) > limit + (mostBytes === undefined ? 0 : ABOUT)) throw tooLarge(limit)
  const { source } = workshop.accounts.get(message.account)
  const [downloaded] = await source.parts(message, message.uid, [{ id: part.id, maxBytes: part.size }], workshop.signal)
  if (downloaded === undefined)
    throw new Failure('not_found', 'the attachment is no longer there', { stage: 'attachment' })
  const bytes = decodeTransfer(downloaded.bytes, part.encoding)
  if (mostBytes !== undefined && bytes.length > limit) throw tooLarge(limit)
  const filename = part.filename === undefined ? undefined : cleanText(part.filename).text
  const { saveAbove = Number.POSITIVE_INFINITY, isTemporary } = await workshop.files.terms()
  const isFile = inlineBytes !== undefined && bytes.length > Math.min(inlineBytes, saveAbove)
  return {
    part: part.id,
    type: part.type,
    filename,
    size: bytes.length,
    digest: workshop.seal.digest(bytes),
    bytes: isFile ? new Uint8Array() : bytes,
    savedTo: isFile ? await workshop.files.save(filename, bytes) : undefined,
    ...(isFile && { isTemporary }),
    ...(await madeReadable(part, downloaded, bytes, action, workshop)),
  }
}

type Shown = Pick<AttachmentContent, 'text' | 'textTruncated' | 'uncertain' | 'warnings' | 'image'>

/** Text or size, where it has one and it was asked for. A document that cannot be read is handed out all the same. */
async function madeReadable(
  part: Part,
  downloaded: PartBytes,
  bytes: Uint8Array,
  { readable: maxChars, uncertainFrom }: Pick<ReadAttachmentAction, 'readable' | 'uncertainFrom'>,
  workshop: Workshop,
): Promise<Shown> {
  if (maxChars === undefined) return {}
  const kind = documentKind(part)
  if (kind === undefined) {
    const image = imageSize(bytes)
    return image === undefined ? {} : { image }
  }
  try {
    const read = await documentText(kind, part, downloaded, maxChars, workshop)
    const uncertain = uncertainPage(read.uncertain, uncertainFrom)
    return { text: read.text, textTruncated: read.truncated, warnings: read.warnings, ...(uncertain && { uncertain }) }
  } catch (error) {
    if (!(error instanceof Failure) || workshop.signal.aborted) throw error
    return {}
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

function tooLarge(limit: number): Failure {
  return new Failure('too_large', `the attachment is larger than ${limit} bytes`, { stage: 'attachment' })
}

function partNamed(root: Part, id: string): Part | undefined {
  const open: Part[] = [root]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.id === id) return part
    open.push(...part.children)
  }
  return undefined
}
