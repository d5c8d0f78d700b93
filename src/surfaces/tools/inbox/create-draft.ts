/** Leaves a letter among the drafts of an account. Nothing is ever sent. */
import { z } from 'zod'
import { strictAddress } from '../../../core/compose/strict-address.ts'
import type { ComposedDraft } from '../../../core/results.ts'
import { nameOf } from '../message-name.ts'
import { defineTool } from '../tool.ts'
import { dropUndefined, type Report, respond } from './answer.ts'
import { emailId, messageFrom, withAccount } from './fields.ts'
import { lines, named } from './texts.ts'

const MOST_PEOPLE = 100
const MOST_BODY = 500_000

const people = z.array(z.string()).max(MOST_PEOPLE)

const fields = withAccount({
  to: people.min(1).describe('One address each: a@example.com or Name <a@example.com>'),
  cc: people.default([]),
  subject: z.string().max(998),
  body: z.string().max(MOST_BODY).describe('Plain text'),
  reply_to_id: emailId
    .optional()
    .describe('ID of the email that this answers: it is quoted, Re: is put before the subject'),
})

export const createDraft = defineTool({
  name: 'create_draft',
  title: 'Create a draft',
  description: 'Write a draft email. It is not sent: a person reviews and sends it.',
  effect: 'change',
  requires: { capabilities: ['draft_append'] },
  ...fields,
  output: z.looseObject({ to: z.array(z.string()), subject: z.string() }),
  action: ({ account, to, cc, subject, body, reply_to_id }) => ({
    kind: 'compose_draft',
    account,
    mailbox: 'drafts',
    letter: { to: to.map(checked('to')), cc: cc.map(checked('cc')), subject, body },
    repliesTo: reply_to_id === undefined ? undefined : messageFrom(reply_to_id, 'reply_to_id'),
  }),
  render: (outcome) => respond(outcome, { about: 'folder', done: report }),
})

/** Before anything is looked for. */
function checked(field: string): (address: string, index: number) => string {
  return (address, index) => {
    strictAddress(address, `${field}[${index}]`)
    return address
  }
}

function report({ ref, nativeId, to, cc, subject }: ComposedDraft): Report {
  const id = ref && nameOf({ ref, ...(nativeId && { nativeId }) })
  return {
    text: lines(
      'Draft created successfully!',
      '',
      named('Draft ID', id ?? '(not known)'),
      named('To', to.join(', ')),
      cc.length === 0 ? undefined : named('Cc', cc.join(', ')),
      named('Subject', subject),
      '',
      'Note: The user must manually review and send this draft in their mail program.',
    ),
    value: dropUndefined({ id, to, cc, subject }),
  }
}
