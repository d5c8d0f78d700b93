/** The inputs that the tools of this set have in common, with their bounds. */
import { z } from 'zod'
import { Failure } from '../../../core/failure.ts'
import { ANY_UIDVALIDITY, type MessageRef } from '../../../core/message-id.ts'
import { type Match, PREDICATE_NAMES, predicateNamed, type ValueKind } from '../../../core/policy/predicates.ts'
import { readValue } from '../../../core/policy/values.ts'
import { line } from '../line.ts'

const MAX_UID = 0xffff_ffff

export const account = line(64)
export const folder = line(1024)
export const uid = z.int().min(1).max(MAX_UID)

export const MOST_UIDS = 500
export const uids = z.array(uid).min(1).max(MOST_UIDS).optional().describe('Instead of uid: several')

export const messageFields = { account, folder, uid, uidvalidity: uid.optional() }
export const target = z.strictObject({ account, folder })
export const source = z.strictObject(messageFields)

/** One message of a folder, or several. */
export const someFields = { account, folder, uid: uid.optional(), uids, uidvalidity: uid.optional() }

export interface AskedMessage {
  readonly account: string
  readonly folder: string
  readonly uid: number
  readonly uidvalidity?: number | undefined
}

export function messageFrom(asked: AskedMessage): MessageRef {
  const { account: id, folder: mailbox, uid: number, uidvalidity = ANY_UIDVALIDITY } = asked
  return { account: id, mailbox, uidvalidity, uid: number }
}

/** What an answer repeats of the question. */
export function echoOf({ account: id, folder: path, uid: number }: AskedMessage): Record<string, unknown> {
  return { account: id, folder: path, uid: number }
}

const SCHEMAS: { readonly [K in ValueKind]: z.ZodType } = {
  address: z.string(),
  domain: z.string(),
  text: z.string(),
  flag: z.boolean(),
  age: z.string(),
  bytes: z.int().min(0),
  yes: z.literal(true),
}

const ASK_QUERY =
  'criteria cannot look at the body; use the query argument for words of the body, for example query: "invoice"'

function isAboutBody(key: string): boolean {
  return /^(?:body|text|content)/i.test(key)
}

/** The same keys as a rule's `match`. */
export const criteria = z
  .strictObject(
    Object.fromEntries(PREDICATE_NAMES.map((name) => [name, SCHEMAS[predicateNamed(name).value].optional()])),
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys' && (issue['keys'] as string[]).some(isAboutBody) ? ASK_QUERY : undefined,
    },
  )
  .optional()
  .describe('All must hold. Ages: 12h, 30d, 1y')

export function matchFrom(asked: Readonly<Record<string, unknown>> | undefined): Match {
  const given = PREDICATE_NAMES.filter((name) => asked?.[name] !== undefined)
  return Object.fromEntries(
    given.map((name) => {
      const read = readValue(predicateNamed(name).value, asked?.[name])
      if (!read.ok) throw new Failure('invalid_input', `criteria.${name} must be ${read.expected}`)
      return [name, read.value]
    }),
  )
}
