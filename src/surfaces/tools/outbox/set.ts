/** The `outbox` tool set: finding, drafting, and sending what a person has approved, answered in words. */
import type { ToolSet } from '../tool.ts'
import { refuse } from './answer.ts'
import { draftEmail } from './draft-email.ts'
import { replyEmail } from './reply-email.ts'
import { searchEmail } from './search-email.ts'
import { sendEmail } from './send-email.ts'

export const outboxSet: ToolSet = {
  name: 'outbox',
  folders: 'places',
  soleAccount: true,
  tools: [searchEmail, draftEmail, sendEmail, replyEmail],
  refuse,
}
