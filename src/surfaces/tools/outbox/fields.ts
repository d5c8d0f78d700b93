/**
 * The inputs that the tools of this set have in common, and what is made of them.
 *
 * INVARIANT: whatever would reach a header is one line, and every address is one, before anything is looked for. Nothing is
 * attached by a path.
 */
import { z } from 'zod'
import type { AttachedPart, Letter } from '../../../core/action.ts'
import { addressList } from '../../../core/compose/address-list.ts'
import type { MessageRef } from '../../../core/message-id.ts'
import { isLine, line } from '../line.ts'
import { messageNamed } from '../message-name.ts'
import { partId } from '../part-id.ts'

const MOST_ACCOUNT = 320
const MOST_PEOPLE = 10_000
const MOST_SUBJECT = 998
const MOST_BODY = 500_000
const MOST_ID = 2048
const MOST_PART = 256
const MOST_ATTACHMENTS = 20

const oneLine = (most: number) => z.string().max(most).refine(isLine, { error: 'must not contain control characters' })
/** Line breaks are its own business; what no message can hold is not. */
const text = z
  .string()
  .max(MOST_BODY)
  .refine((given) => !given.includes('\0') && given.isWellFormed(), { error: 'must be well-formed text without NUL' })
const people = z.string().max(MOST_PEOPLE)

export const account = oneLine(MOST_ACCOUNT).optional().describe('Which account; needed where there are several')
export const body = (what: string) => text.describe(what)
export const id = (what: string) => line(MOST_ID).describe(what)

/** What `draft_email` and `send_email` take. */
export const letterFields = {
  to: people.describe('Recipient email address'),
  subject: oneLine(MOST_SUBJECT).describe('Email subject line'),
  body: body('Plain text email body'),
  cc: people.optional(),
  bcc: people.optional(),
  html: text.optional().describe('The same body as HTML'),
  attachments: z
    .array(z.strictObject({ message_id: line(MOST_ID), part_id: partId(line(MOST_PART)) }))
    .max(MOST_ATTACHMENTS)
    .optional()
    .describe('Attachments of emails in the account'),
  account,
}

type LetterInput = z.output<z.ZodObject<typeof letterFields>>

export function letterFrom(input: LetterInput): Letter {
  const { to, cc, bcc, subject, body: written, html, attachments } = input
  return {
    to: addressList(to, 'to'),
    cc: cc === undefined ? [] : addressList(cc, 'cc'),
    ...(bcc !== undefined && { bcc: addressList(bcc, 'bcc') }),
    subject,
    body: written,
    ...(html !== undefined && { html }),
    ...(attachments !== undefined && { attachments: attachments.map(attached) }),
  }
}

function attached(part: { readonly message_id: string; readonly part_id: string }): AttachedPart {
  return { message: messageFrom(part.message_id), part: part.part_id }
}

export function messageFrom(given: string): MessageRef {
  return messageNamed(given, 'message_id must be an ID that search_email gave')
}
