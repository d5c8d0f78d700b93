/** Marks messages as read or unread. */
import { z } from 'zod'
import { answerSchema } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { someFields } from './fields.ts'
import { markAnswer, marking } from './marks.ts'

export const markSeen = definePolicyTool('write', {
  name: 'mark_seen',
  title: 'Mark as read',
  description: 'Mark one message, or up to 500 of a folder, as read, or as unread with seen: false.',
  effect: 'change',
  requires: { capabilities: ['mark_seen'] },
  input: z.strictObject({ ...someFields, seen: z.boolean() }),
  output: answerSchema,
  action: (asked) => marking(asked, { kind: 'mark_seen', seen: asked.seen }),
  render: (outcome, _action, asked) => markAnswer(outcome, asked, { seen: asked.seen }),
})
