/** The inputs that the tools of this set have in common, with their bounds. */
import { z } from 'zod'
import { Failure } from '../../../core/failure.ts'
import { formatMessageId, type MessageRef, parseMessageId } from '../../../core/message-id.ts'
import { isLine, line } from '../line.ts'

export const accountId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/)
  .default('default')

export const mailbox = line(256)

/** The account of a message is in its id; naming another one beside it is a mistake worth hearing about. */
export const messageFields = {
  account_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  message_id: z.string().min(1).max(512).describe('From imap_search_messages'),
}

export function messageFrom(input: { account_id?: string | undefined; message_id: string }): MessageRef {
  const ref = parseMessageId(input.message_id)
  if (!isLine(ref.mailbox) || ref.mailbox.length > 256) {
    throw new Failure('invalid_input', 'message_id names a mailbox of over 256 characters or with control characters')
  }
  if (input.account_id === undefined || input.account_id === ref.account) return ref
  throw new Failure('invalid_input', 'message_id belongs to another account than account_id')
}

/** How a message is named in every answer. */
export function names(ref: MessageRef): Record<string, unknown> {
  const uri = messageUri(ref)
  return {
    message_id: formatMessageId(ref),
    message_uri: uri,
    message_raw_uri: `${uri}/raw`,
    mailbox: ref.mailbox,
    uidvalidity: ref.uidvalidity,
    uid: ref.uid,
  }
}

export function messageUri({ account, mailbox, uidvalidity, uid }: MessageRef): string {
  return `imap://${account}/mailbox/${encodeURIComponent(mailbox)}/message/${uidvalidity}/${uid}`
}
