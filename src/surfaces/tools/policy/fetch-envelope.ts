/** Who wrote a message to whom, when, and about what. */
import { z } from 'zod'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { echoOf, messageFields, messageFrom } from './fields.ts'
import { reading } from './reading.ts'
import { redaction } from './redacted.ts'

export const fetchEnvelope = definePolicyTool('read', {
  name: 'fetch_envelope',
  title: 'Read an envelope',
  description: 'From, to, cc, subject and date of one message.',
  effect: 'read',
  requires: { visibility: 'ENVELOPE' },
  input: z.strictObject(messageFields),
  output: answerSchema,
  action: (asked) => reading(messageFrom(asked), 'ENVELOPE'),
  render: (outcome, _action, asked) =>
    respond(outcome, echoOf(asked), ({ result, allowance: { level } }) => ({
      from: orNull(result.from),
      to: orNull(result.to),
      cc: orNull(result.cc),
      subject: orNull(result.subject),
      date: orNull(result.date),
      message_id: orNull(result.messageId),
      ...redaction(level, ['text', 'html', 'attachments']),
    })),
})
