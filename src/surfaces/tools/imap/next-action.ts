/** What an agent should do next, as a tool call it can make. */
import type { Issue } from '../../../core/results.ts'
import type { Answer } from '../tool.ts'
import { dropUndefined, type NextAction } from './envelope.ts'

/** After a failure: try again what may work the next time, else look at what stands in the way. */
export function afterFailure(issue: Issue, account: string, again: NextAction): NextAction {
  if (issue.retryable) return { ...again, instruction: retryInstruction(issue, again.instruction) }
  const { message_id } = again.arguments
  if (issue.code === 'outcome_unknown' && message_id !== undefined) {
    const instruction = 'See what became of the message before doing this again'
    return { instruction, tool: 'imap_get_message', arguments: { account_id: account, message_id } }
  }
  if (issue.code === 'not_found') return listMailboxes(account, 'Choose a mailbox that exists')
  return {
    instruction: 'Check the connection and credentials of the account, and what its server can do',
    tool: 'imap_verify_account',
    arguments: { account_id: account },
  }
}

/** A connection that cannot be made may be a wrong setting, which no retry cures. */
export function retryInstruction({ stage }: Issue, instruction: string): string {
  if (stage !== 'connect') return instruction
  return `${instruction}. If it fails again, ask the user to check the account's host and port, and that its server is running`
}

/** Where a policy can never allow a tool, the caller may not have it, and is not sent to it. */
export function namingOnly(answer: Answer, offered: ReadonlySet<string>): Answer {
  if (answer.kind !== 'json') return answer
  const { next_action: next, ...data } = (answer.value['data'] ?? {}) as { readonly next_action?: NextAction }
  return next === undefined || offered.has(next.tool) ? answer : { ...answer, value: { ...answer.value, data } }
}

/** The same call once more. */
export function retry(tool: string, asked: Readonly<Record<string, unknown>>): NextAction {
  return { instruction: 'Try again in a moment', tool, arguments: dropUndefined(asked) }
}

export function listMailboxes(account: string, instruction = 'List mailboxes for account'): NextAction {
  return { instruction, tool: 'imap_list_mailboxes', arguments: { account_id: account } }
}
