/** Puts a draft into a folder. Nothing is sent. */
import { z } from 'zod'
import type { Outcome } from '../../../core/call/outcome.ts'
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
    respond(atDrafts(outcome), { account: asked.account, folder: asked.folder }, ({ result }) => ({
      result: 'OK',
      uid: orNull(result.uid),
      uidvalidity: orNull(result.uidvalidity),
    })),
})

/** All that a draft's server is asked for is to take it: a connection that fails is no failure to fetch something. */
function atDrafts(outcome: Outcome<'create_draft'>): Outcome<'create_draft'> {
  const stage = outcome.kind === 'failed' ? STAGES[outcome.failure.stage ?? ''] : undefined
  if (outcome.kind !== 'failed' || outcome.failure.code !== 'unavailable' || stage === undefined) return outcome
  const { code, message } = outcome.failure
  const said = `${message}; the draft was not stored; try again later`
  return { ...outcome, failure: new Failure(code, said, { cause: outcome.failure, stage }) }
}

const STAGES: Readonly<Record<string, string>> = { connect: 'connect_target', connection: 'append' }

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
