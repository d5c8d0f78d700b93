/** Lists the messages of a folder, each with as much as the caller may see of it. */
import { z } from 'zod'
import type { BrowsedMessage } from '../../../core/results.ts'
import { answerSchema, orNull, respond } from './answer.ts'
import { browsing, browsingFields, countsOf, coverageOf, identitiesOf } from './browsing.ts'
import { definePolicyTool } from './define.ts'
import { redactedNames } from './redacted.ts'

export const listMessages = definePolicyTool('read', {
  name: 'list_messages',
  title: 'List messages',
  description: 'Like search, with sender, subject and date of each message. Fields you may not see are null.',
  effect: 'read',
  requires: { visibility: 'METADATA' },
  input: z.strictObject(browsingFields(20, 200)),
  output: answerSchema,
  action: (asked) => browsing(asked, 'rows'),
  render: (outcome, action, asked) =>
    respond(outcome, { account: asked.account, folder: asked.folder }, ({ result }) => ({
      messages: result.messages.map(shown),
      ...countsOf(result, action),
      ...coverageOf(result),
      ...identitiesOf(result),
    })),
})

const FIELDS = ['size', 'flags', 'date', 'from', 'to', 'subject', 'hasAttachment'] as const

function shown(message: BrowsedMessage): Record<string, unknown> {
  const { uid, size, flags, date, from, to, subject, hasAttachment, level } = message
  return {
    uid,
    size_bytes: orNull(size),
    flags: orNull(flags),
    date: orNull(date),
    from: orNull(from),
    to: orNull(to),
    subject: orNull(subject),
    has_attachment: orNull(hasAttachment),
    redacted_fields: redactedNames(level, FIELDS),
  }
}
