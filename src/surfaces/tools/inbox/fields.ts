/** The inputs that the tools of this set have in common, with their bounds. */
import { z } from 'zod'
import type { MessageRef } from '../../../core/message-id.ts'
import { isLine, line } from '../line.ts'
import { messageNamed } from '../message-name.ts'

const MOST_ACCOUNT = 320
const MOST_ID = 2048

const account = z.string().max(MOST_ACCOUNT).refine(isLine, { error: 'must not contain control characters' })

/**
 * An input with the account that every tool needs. One that is missing gets through: the gate knows which there are, and
 * says so.
 */
export function withAccount<F extends z.ZodRawShape>(fields: F) {
  return {
    input: z.strictObject({ ...fields, account: account.default('') }),
    listedInput: z.strictObject({ account: account.describe('Address or id of the account'), ...fields }),
  }
}

export const emailId = line(MOST_ID).describe('ID from list_emails or search_emails')

export function limit(usual: number, most: number) {
  return z.int().min(1).max(most).default(usual)
}

export function messageFrom(id: string, argument: string): MessageRef {
  return messageNamed(id, `${argument} must be an ID that list_emails or search_emails gave`)
}
