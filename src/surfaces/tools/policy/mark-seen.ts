/** Marks a message as read or unread. */
import { z } from 'zod'
import { answerSchema, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { echoOf, messageFields, messageFrom } from './fields.ts'
import { changeOf } from './marks.ts'

export const markSeen = definePolicyTool('write', {
  name: 'mark_seen',
  title: 'Mark as read',
  description: 'Mark one message as read, or as unread with seen: false.',
  effect: 'change',
  requires: { capabilities: ['mark_seen'] },
  input: z.strictObject({ ...messageFields, seen: z.boolean() }),
  output: answerSchema,
  action: (asked) => ({ kind: 'mark_seen', message: messageFrom(asked), seen: asked.seen }),
  render: (outcome, _action, asked) =>
    respond(outcome, { ...echoOf(asked), seen: asked.seen }, ({ result }) => changeOf(result)),
})
