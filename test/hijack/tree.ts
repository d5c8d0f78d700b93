/** What the operator allows: everything but to send, in every way in which one can say so. */
import type { User } from './post-office.ts'

/** The one that may be written to without anybody being asked, under `flow`. */
export const TRUSTED = 'boss@corp.example'
export const TRUSTED_DOMAIN = 'archive.example'

const EVERYTHING = {
  mark_seen: true,
  mark_tagged: true,
  move_out: true,
  accept_incoming: true,
  draft_append: true,
  delete: true,
} as const

/** It is there, and the agent may not know of it. */
export const HIDDEN_FOLDER = 'Private'

/** A wave of mail makes an agent ask for hundreds of messages. */
const PENDING = { pending_limit: { messages: 1000, bytes: '500 MB' } }

const POLICIES_BY_NAME = {
  always: { send: { approval: 'always', ...PENDING }, approvals: { require_digest: false } },
  digest: { send: { approval: 'always', ...PENDING }, approvals: { require_digest: true, elicitation: 'notify' } },
  flow: { send: { approval: 'flow', trusted: [TRUSTED, `@${TRUSTED_DOMAIN}`], ...PENDING } },
  sufficient: { send: { approval: 'always', ...PENDING }, approvals: { elicitation: 'sufficient' } },
  forbidden: { send: false },
} as const

export const POLICIES = (users: readonly User[], paths: readonly string[]): Readonly<Record<string, object>> => {
  const folders = paths.map((path) => ({ path, mode: 'blacklist', default: 'FULL', ...EVERYTHING }))
  const accounts = Object.fromEntries(users.map((user) => [user, folders]))
  return Object.fromEntries(Object.entries(POLICIES_BY_NAME).map(([name, said]) => [name, { ...said, accounts }]))
}

/** By id, with the policy of each. Two share one. */
export const CALLERS = {
  always: 'always',
  other: 'always',
  digest: 'digest',
  flow: 'flow',
  flow2: 'flow',
  sufficient: 'sufficient',
  forbidden: 'forbidden',
} as const

export type CallerName = keyof typeof CALLERS
