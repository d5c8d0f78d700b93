/** What is on record, in plain words. */

import { SEES } from '../access/words.ts'
import type { ActivityRecord } from '../api-types.ts'

const REASONS: Readonly<Record<string, string>> = {
  rule_matched: 'a rule of the policy speaks of it',
  folder_default_applied: 'as the policy says for the folder',
  sender_not_whitelisted: 'no rule of the policy lets it through',
  sender_blacklisted: 'the policy holds it back',
  folder_not_named: 'the policy does not name this folder, so it is hidden',
  console_wrong_link: 'the sign-in link was used up, too old or not ours',
  console_no_session: 'nobody was signed in',
  console_wrong_origin: 'the request came from another site',
  console_wrong_csrf: 'the request did not come from a page of the console',
  console_disguised_path: 'the address was written so as to slip past the lock',
  account_hidden: 'the policy does not show this account',
  folder_hidden: 'the policy does not show this folder',
  capability_missing: 'the policy does not allow this in this folder',
  forbidden_system_flag: 'this flag is not for agents to set',
  visibility_would_rise: 'the message would have become more visible than it was',
  oauth_scope_insufficient: 'the consent given at the provider is for reading only',
  needs_rebootstrap: 'the account needs consent at its provider again',
  tool_not_applicable_for_provider: 'the account’s provider knows no such thing',
  unknown_tool: 'the agent has no such tool',
  invalid_arguments: 'the arguments do not fit the tool',
  rate_limited: 'too many calls in too short a time',
  sending_forbidden: 'the policy does not let this agent send',
  account_cannot_send: 'the account is not set up for sending',
  approval_missing: 'until a person approves the letter',
  approval_refused: 'a person rejected the letter',
  sending_under_way: 'the letter is being sent already',
  already_sent: 'the same message was sent within a day',
  similar_message_waits: 'a message like it is pending or approved',
  pending_limit: 'too many messages of this agent wait',
  dev_mode: 'DEV_MODE holds every letter back',
  console: 'in the console',
  command: 'on the command line',
  file: 'by a file in the vault',
  elicitation: 'in the agent’s own program',
  flow: 'by the policy, as its recipients may read all of it anyway',
  policy: 'by the policy, which asks nobody',
  day_ended: 'the day’s file was closed',
  tail_cut_off: 'a line that was never finished was set aside',
  no_file_for_day: 'a day has no file',
  retention_expired: 'a day’s file was old enough to go',
  reload_applied: 'the configuration was read again',
  parse_error: 'the configuration could not be read; the old one stays',
  validation_error: 'the configuration has mistakes; the old one stays',
  token_refreshed: 'an access token was renewed',
  token_refresh_failed: 'an access token could not be renewed',
}

const EVENTS: Readonly<Record<string, string>> = {
  outbox_approve: 'approved a letter',
  outbox_reject: 'rejected a letter',
  outbox_settle_sent: 'said that a letter was sent',
  outbox_revise: 'made another version of a message',
  outbox_settle_not_sent: 'said that a letter was not sent',
  outbox_lost: 'lost sight of a letter',
  outbox_found_sent: 'found a letter among what was sent',
  console_sign_in: 'signed in to the console',
  console_sign_out: 'signed out of the console',
  console_transfer_retry: 'had a transfer tried again',
  console_transfer_abandon: 'gave a transfer up',
  console_reconnect: 'had an account reconnected',
  auth_failed: 'came without the right key',
  policy_reload: 'read the configuration again',
  token_refresh: 'renewed a token',
  pool_drain: 'closed connections',
  saga_transition: 'went on with a transfer',
  eof_day: 'closed a day',
  audit_tail_torn: 'mended the record’s end',
  audit_file_missing: 'found a day without a file',
  retention_delete: 'removed an old day',
}

export function reasonWords(reason: string): string {
  const below = /^visibility_below_(\w+)$/.exec(reason)?.[1]
  if (below !== undefined) return `it would have to see ${SEES[below] ?? below}, and the policy shows less`
  return REASONS[reason] ?? spaced(reason)
}

export function toolWords(tool: string): string | undefined {
  return EVENTS[tool]
}

const NAMES: Readonly<Record<string, string>> = {
  account: 'account',
  folder: 'folder',
  uid: 'message',
  mode: 'mode',
  seen: 'as read',
  tags: 'tags',
  part_id: 'part',
  source: 'from',
  target: 'to',
  to: 'recipients',
  answers: 'answer to',
  outbox_id: 'letter',
  search_query_digest: 'query',
}

export interface Fact {
  readonly text: string
  /** All of it, where the text is short for it. */
  readonly whole?: string
}

/** `account work`, `folder INBOX`, `message 5` … */
export function factsOf({ args_summary, tx_id }: ActivityRecord): readonly Fact[] {
  const facts = Object.entries(args_summary).map(
    ([name, value]) => `${NAMES[name] ?? spaced(name)} ${valueText(value)}`,
  )
  return (tx_id === null ? facts : [...facts, `transfer ${tx_id}`]).map(fact)
}

/** Nobody reads a digest to its end, and a column of them leaves no room for the rest. */
const DIGEST = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g

function fact(whole: string): Fact {
  const text = whole.replace(DIGEST, '$1…')
  return text === whole ? { text } : { text, whole }
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  if (typeof value === 'object' && value !== null) return Object.values(value).map(valueText).join(' / ')
  return String(value)
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ')
}
