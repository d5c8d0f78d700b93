/** The `inbox` tool set: six tools over accounts and folders as people name them, answered in words. */
import type { ToolSet } from '../tool.ts'
import { refuse } from './answer.ts'
import { createDraft } from './create-draft.ts'
import { getAttachment } from './get-attachment.ts'
import { listEmails } from './list-emails.ts'
import { manageLabels } from './manage-labels.ts'
import { readEmail } from './read-email.ts'
import { searchEmails } from './search-emails.ts'

export const inboxSet: ToolSet = {
  name: 'inbox',
  folders: 'places',
  limits: {
    set: 'inbox',
    perMinute: 60,
    perHour: 500,
    perTool: { list_emails: 20, read_email: 30, search_emails: 10, create_draft: 10, get_attachment: 20 },
    deadlineMs: 30_000,
  },
  tools: [listEmails, readEmail, searchEmails, createDraft, manageLabels, getAttachment],
  refuse,
}
