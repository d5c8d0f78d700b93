/** The whole header of a message. */
import { z } from 'zod'
import { answerSchema, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { echoOf, messageFields, messageFrom } from './fields.ts'
import { headersOf, reading, warningsOf } from './reading.ts'
import { redaction } from './redacted.ts'

export const fetchHeaders = definePolicyTool('read', {
  name: 'fetch_headers',
  title: 'Read headers',
  description: 'All header fields of one message, decoded.',
  effect: 'read',
  requires: { visibility: 'HEADERS' },
  input: z.strictObject(messageFields),
  output: answerSchema,
  action: (asked) => reading(messageFrom(asked), 'HEADERS'),
  render: (outcome, _action, asked) =>
    respond(outcome, echoOf(asked), ({ result, allowance }) => ({
      headers: headersOf(result.header),
      ...redaction(allowance.level, ['text', 'html', 'attachments']),
      content_warnings: warningsOf(result),
    })),
})
