/** One attachment, decoded: in the answer where it is small, else in a file. */
import { z } from 'zod'
import type { AttachmentContent } from '../../../core/results.ts'
import { partId } from '../part-id.ts'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { echoOf, messageFields, messageFrom } from './fields.ts'

const INLINE_BYTES = 1_048_576

export const fetchAttachment = definePolicyTool('read', {
  name: 'fetch_attachment',
  title: 'Fetch an attachment',
  description: 'One attachment: base64 up to 1 MB or the configured size, above that a local file, up to 10 MB.',
  effect: 'read',
  requires: { visibility: 'FULL' },
  input: z.strictObject({
    ...messageFields,
    part_id: partId().optional().describe('Part number or file name; default: the first attachment'),
  }),
  output: answerSchema,
  action: (asked) => ({
    kind: 'read_attachment',
    message: messageFrom(asked),
    part: asked.part_id,
    inlineBytes: INLINE_BYTES,
  }),
  render: (outcome, _action, asked) => respond(outcome, echoOf(asked), ({ result }) => content(result)),
})

function content({ part, filename, type, size, digest, bytes, savedTo }: AttachmentContent): Record<string, unknown> {
  return {
    part_id: part,
    filename: orNull(filename),
    mime_type: type,
    size_bytes: size,
    content_hash: digest,
    ...(savedTo === undefined ? { content_base64: Buffer.from(bytes).toString('base64') } : { saved_to: savedTo }),
  }
}
