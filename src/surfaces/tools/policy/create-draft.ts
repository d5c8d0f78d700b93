/** Puts a draft into a folder. Nothing is sent. */
import { z } from 'zod'
import { Failure } from '../../../core/failure.ts'
import { parseHeader } from '../../../core/mime/header.ts'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { account, folder } from './fields.ts'

const MOST_CHARS = 3_000_000

export const createDraft = definePolicyTool('write', {
  name: 'create_draft',
  title: 'Create a draft',
  description: 'Put an RFC 5322 message into a drafts folder. It is not sent.',
  effect: 'change',
  requires: { capabilities: ['draft_append'] },
  input: z.strictObject({ account, folder, rfc822: z.string().min(1).max(MOST_CHARS) }),
  output: answerSchema,
  action: (asked) => ({
    kind: 'create_draft',
    account: asked.account,
    mailbox: asked.folder,
    bytes: bytesOf(asked.rfc822),
  }),
  render: (outcome, _action, asked) =>
    respond(outcome, { account: asked.account, folder: asked.folder }, ({ result }) => ({
      result: 'OK',
      uid: orNull(result.uid),
      uidvalidity: orNull(result.uidvalidity),
    })),
})

/** Line breaks as mail has them; a message begins with its header. */
function bytesOf(rfc822: string): Uint8Array {
  if (rfc822.includes('\0') || !rfc822.isWellFormed()) {
    throw new Failure('invalid_input', 'rfc822 must be text without NUL characters')
  }
  const bytes = new TextEncoder().encode(rfc822.replace(/\r\n|\r|\n/g, '\r\n'))
  if (parseHeader(bytes).length === 0) {
    throw new Failure('invalid_input', 'rfc822 must begin with header fields such as "To: someone@example.com"')
  }
  return bytes
}
