/**
 * A question in the words of MCP's elicitation, and what a client's answer to it means.
 *
 * INVARIANT: only `accept` with the box ticked is a yes. There is no default to send back unread.
 */
import type { Question, Reply } from '../../core/call/question.ts'

/** The one thing that is filled in. */
const FIELD = 'approve'

export interface Elicitation {
  readonly method: 'elicitation/create'
  readonly params: {
    readonly message: string
    readonly requestedSchema: {
      readonly type: 'object'
      readonly properties: Readonly<Record<string, { readonly type: 'boolean'; readonly title: string }>>
      readonly required: string[]
    }
  }
}

/** What is only to be read has nothing to fill in. */
export function elicitationOf({ title, text, isNotice = false }: Question): Elicitation {
  const form = isNotice
    ? { properties: {}, required: [] }
    : { properties: { [FIELD]: { type: 'boolean' as const, title } }, required: [FIELD] }
  return {
    method: 'elicitation/create',
    params: { message: `${title}\n\n${text}`, requestedSchema: { type: 'object', ...form } },
  }
}

/** One that can only open addresses cannot show a form; one that does not say which it can, can do that. */
export function canBeAsked(capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined
  return isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))
}

export function replyIn(result: unknown, { isNotice = false }: Question): Reply {
  if (isNotice || !isRecord(result)) return 'no_answer'
  const { action, content } = result
  if (action === 'decline') return 'declined'
  if (action !== 'accept' || !isRecord(content)) return 'no_answer'
  if (content[FIELD] === true) return 'accepted'
  return content[FIELD] === false ? 'declined' : 'no_answer'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
