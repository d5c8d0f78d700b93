/** Sends a letter that a person has approved; where nobody has yet, it waits. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { respond } from './answer.ts'
import { endingText } from './ending.ts'
import { letterFields, letterFrom } from './fields.ts'
import { oneLine, redacted } from './texts.ts'

export const sendEmail = defineTool({
  name: 'send_email',
  title: 'Send an email',
  description: 'Send an email. A person has to approve it first; call again with the same arguments once that is done.',
  effect: 'send',
  requires: { sends: true },
  input: z.strictObject(letterFields),
  output: z.looseObject({ status: z.string() }),
  action: (input) => ({
    kind: 'send_mail',
    account: input.account ?? '',
    letter: letterFrom(input),
    answers: undefined,
  }),
  render: (outcome, { letter: { to, subject } }) =>
    respond(outcome, {
      tool: 'send_email',
      done: (ending) =>
        endingText(ending, {
          tool: 'send_email',
          what: 'Email',
          unapproved: `sending to ${redacted(to)}`,
          type: 'email_send',
          heldBack: `[DEV_MODE] Send logged but not executed. To: ${redacted(to)}, Subject: ${oneLine(subject)}`,
        }),
    }),
})
