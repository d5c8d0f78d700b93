/** `attachments` of accounts.yaml: where attachments are saved, and from which size on. */
import { readSize } from '../../core/query/amounts.ts'
import type { Fields } from './fields.ts'
import { readPath, type Surroundings } from './surroundings.ts'
import type { AttachmentSettings } from './tree.ts'

export const ATTACHMENT_KEYS = ['directory', 'save_above']
/** No answer holds a larger one. */
const MOST_INLINE = 1024 * 1024

export function readAttachments(fields: Fields, around: Surroundings): AttachmentSettings {
  const attachments = fields.fields('attachments', 'attachments', ATTACHMENT_KEYS)
  if (attachments === undefined) return { directory: undefined, saveAbove: undefined }
  return { directory: readPath(attachments, 'directory', around), saveAbove: readSaveAbove(attachments) }
}

/** As `larger:` takes it: `0`, `200k`, `1M`; a letter B behind it and a space before it change nothing. */
function readSaveAbove(attachments: Fields): number | undefined {
  const node = attachments.value('save_above')
  if (node === undefined) return undefined
  const text = node.kind === 'scalar' && ['number', 'string'].includes(typeof node.value) ? String(node.value) : ''
  const bytes = readSize(text.trim().replace(/ ?([km])i?b$/i, '$1'))
  if (bytes !== undefined && bytes <= MOST_INLINE) return bytes
  attachments.problem(
    'save_above',
    'save_above must be a size from 0 to 1 MB, since larger attachments are always saved; write 200 KB or 1 MB instead',
  )
  return undefined
}
