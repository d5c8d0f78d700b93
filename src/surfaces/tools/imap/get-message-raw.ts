/** The source of one message, byte for byte, bounded. */
import { z } from 'zod'
import { formatMessageId } from '../../../core/message-id.ts'
import { defineTool } from '../tool.ts'
import { envelopeSchema, respond } from './envelope.ts'
import { messageFields, messageFrom } from './fields.ts'
import { afterFailure, retry } from './next-action.ts'

export const imapGetMessageRaw = defineTool({
  name: 'imap_get_message_raw',
  title: 'Get the source of a message',
  description: 'RFC 822 source of one message, base64, for diagnostics; the first max_bytes of it.',
  effect: 'read',
  requires: { visibility: 'FULL' },
  input: z.strictObject({
    ...messageFields,
    max_bytes: z.int().min(1024).max(1_000_000).default(200_000),
  }),
  output: envelopeSchema,
  action: (asked) => ({ kind: 'read_raw', message: messageFrom(asked), maxBytes: asked.max_bytes }),
  render: (outcome, { message }, asked) =>
    respond(outcome, {
      done: ({ size, bytes }) => ({
        summary: bytes.length < size ? `First ${bytes.length} of ${size} bytes` : `${size} bytes`,
        data: {
          status: 'ok',
          issues: [],
          account_id: message.account,
          message_id: formatMessageId(message),
          size_bytes: size,
          truncated: bytes.length < size,
          raw_source_base64: base64(bytes),
          raw_source_encoding: 'base64',
        },
      }),
      failed: (issue) => ({
        summary: `The source could not be fetched: ${issue.message}`,
        data: {
          status: 'failed',
          issues: [issue],
          next_action: afterFailure(issue, message.account, retry('imap_get_message_raw', asked)),
          account_id: message.account,
          message_id: formatMessageId(message),
        },
      }),
    }),
})

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
