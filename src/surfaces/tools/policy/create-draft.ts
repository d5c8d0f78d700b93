/** Puts a draft into a folder. Nothing is sent. */
import { z } from 'zod'
import type { ActionOf } from '../../../core/action.ts'
import type { Outcome } from '../../../core/call/outcome.ts'
import { Failure } from '../../../core/failure.ts'
import { parseHeader } from '../../../core/mime/header.ts'
import { answerSchema, orNull, respond } from './answer.ts'
import { definePolicyTool } from './define.ts'
import { account, folder, messageFrom, uid } from './fields.ts'
import { replyLetter } from './reply-letter.ts'

const MOST_CHARS = 3_000_000

export const createDraft = definePolicyTool('write', {
  name: 'create_draft',
  title: 'Create a draft',
  description:
    'Put an RFC 5322 message into a drafts folder. It is not sent. With reply_to the original is quoted, To and Subject may be left out.',
  effect: 'change',
  requires: { capabilities: ['draft_append'] },
  input: z.strictObject({
    account,
    folder,
    rfc822: z.string().min(1).max(MOST_CHARS),
    reply_to: uid.optional().describe('uid of the message that this answers'),
    reply_to_folder: folder.default('INBOX'),
    uidvalidity: uid.optional().describe('Of reply_to_folder'),
  }),
  output: answerSchema,
  action: (asked): ActionOf<'create_draft' | 'compose_draft'> => {
    const place = { account: asked.account, mailbox: asked.folder }
    const { reply_to: answered, reply_to_folder: from, uidvalidity } = asked
    if (answered === undefined) return { kind: 'create_draft', ...place, bytes: bytesOf(asked.rfc822) }
    const repliesTo = messageFrom({ account: asked.account, folder: from, uid: answered, uidvalidity })
    return { kind: 'compose_draft', ...place, letter: replyLetter(bytesOf(asked.rfc822, true)), repliesTo }
  },
  render: (outcome, _action, asked) =>
    respond(atDrafts(outcome), { account: asked.account, folder: asked.folder }, ({ result }) => {
      const placed = 'ref' in result ? result.ref : result
      return { result: 'OK', uid: orNull(placed?.uid), uidvalidity: orNull(placed?.uidvalidity) }
    }),
})

type Drafted = Outcome<'create_draft' | 'compose_draft'>

/** All that a draft's server is asked for is to take it: a connection that fails is no failure to fetch something. */
function atDrafts(outcome: Drafted): Drafted {
  const stage = outcome.kind === 'failed' ? STAGES[outcome.failure.stage ?? ''] : undefined
  if (outcome.kind !== 'failed' || outcome.failure.code !== 'unavailable' || stage === undefined) return outcome
  const { code, message } = outcome.failure
  const said = `${message}; the draft was not stored; try again later`
  return { ...outcome, failure: new Failure(code, said, { cause: outcome.failure, stage }) }
}

const STAGES: Readonly<Record<string, string>> = { connect: 'connect_target', connection: 'append' }

/** Line breaks as mail has them; a message begins with its header, which may be empty in an answer. */
function bytesOf(rfc822: string, isAnswer = false): Uint8Array {
  if (rfc822.includes('\0') || !rfc822.isWellFormed()) {
    throw new Failure('invalid_input', 'rfc822 must be text without NUL characters')
  }
  const bytes = new TextEncoder().encode(rfc822.replace(/\r\n|\r|\n/g, '\r\n'))
  if (parseHeader(bytes).length === 0 && !isAnswer) {
    throw new Failure('invalid_input', 'rfc822 must begin with header fields such as "To: someone@example.com"')
  }
  return bytes
}
