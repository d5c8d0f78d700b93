/** Leaves a letter among the drafts of an account. Nothing is sent. */
import { z } from 'zod'
import { formatMessageId } from '../../../core/message-id.ts'
import type { ComposedDraft } from '../../../core/results.ts'
import { defineTool, type TextAnswer } from '../tool.ts'
import { respond, said } from './answer.ts'
import { letterFields, letterFrom } from './fields.ts'
import { oneLine, redacted } from './texts.ts'

export const draftEmail = defineTool({
  name: 'draft_email',
  title: 'Draft an email',
  description: 'Write a draft email. It is not sent: a person reviews and sends it.',
  effect: 'change',
  requires: { capabilities: ['draft_append'] },
  input: z.strictObject(letterFields),
  output: z.looseObject({ status: z.string() }),
  action: (input) => ({
    kind: 'compose_draft',
    account: input.account ?? '',
    mailbox: 'drafts',
    letter: letterFrom(input),
    repliesTo: undefined,
    heldBack: true,
  }),
  render: (outcome, { letter }) =>
    respond(outcome, {
      tool: 'draft_email',
      done: (draft) => (draft.heldBack === true ? heldBack(letter.to, letter.subject) : created(draft)),
    }),
})

function heldBack(to: readonly string[], subject: string): TextAnswer {
  const people = redacted(to)
  const text = `[DEV_MODE] Draft logged but not created. To: ${people}, Subject: ${oneLine(subject)}`
  return said('dev_mode', text, { to: people, subject })
}

/** Only one provider gives drafts names of their own. */
function created({ ref, nativeId }: ComposedDraft): TextAnswer {
  const id = nativeId ?? (ref && formatMessageId(ref))
  const named = id === undefined ? '' : ` Draft ID: ${id}.`
  const folder = nativeId === undefined ? 'drafts folder' : 'Gmail drafts folder'
  return said('created', `Draft created successfully.${named} Review it in your ${folder}.`, { draft_id: id })
}
