/**
 * Answers of the `policy` set, and what holds of every one of them.
 *
 * INVARIANT: an answer that passes through here is one text block that is its structured content, an error only where it was
 * allowed and failed; decision, reason
 * and error type are of the closed lists; a refusal and a failure carry no payload; what is redacted is not there.
 */
import { type Client, ProtocolError } from '@modelcontextprotocol/client'
import { expect } from 'vitest'

export type Arguments = Readonly<Record<string, unknown>>

export type Answer = Readonly<Record<string, unknown>> & {
  readonly decision: 'ALLOW' | 'DENY'
  readonly reason: string
  readonly error_type?: string
  readonly uids: readonly number[]
  readonly messages: readonly Row[]
  readonly folders: readonly { readonly path: string; readonly message_count: number | null }[]
}

export type Row = Readonly<Record<string, unknown>> & {
  readonly uid: number
  readonly redacted_fields: readonly string[]
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

const ALLOWED = ['rule_matched', 'folder_default_applied']
export const DENIED = [
  'account_hidden',
  'folder_hidden',
  'sender_not_whitelisted',
  'sender_blacklisted',
  ...['COUNT', 'METADATA', 'ENVELOPE', 'HEADERS', 'BODY', 'FULL'].map((level) => `visibility_below_${level}`),
  'capability_missing',
  'forbidden_system_flag',
  'visibility_would_rise',
  'oauth_scope_insufficient',
  'needs_rebootstrap',
  'tool_not_applicable_for_provider',
  'rate_limited',
]
export const ERROR_TYPES = [
  ...['uid_not_found', 'uid_stale', 'folder_not_found', 'target_folder_missing', 'same_source_and_target'],
  ...['attachment_not_found', 'attachment_too_large', 'append_failed', 'fetch_failed', 'target_append_failed'],
  ...[
    'target_append_timeout',
    'target_unreachable',
    'source_delete_failed',
    'provider_rejected',
    'auth_failed',
    'timeout',
  ],
]
const ECHO = ['account', 'folder', 'uid', 'seen', 'tags', 'mode', 'tx_id']
const RELOCATION_ECHO = ['source_folder', 'target_account', 'target_folder']
const WHEN_DENIED = ['decision', 'reason', 'missing_capability', 'remedy', ...ECHO, ...RELOCATION_ECHO]
const WHEN_FAILED = [
  ...['decision', 'reason', 'visibility_applied', 'result', 'error_type', 'response_code', 'message', 'mechanism'],
  ...[...ECHO, ...RELOCATION_ECHO],
]

/** What this process has met so far: a suite may ask for every one of the closed lists. */
export const met = { reasons: new Set<string>(), errors: new Set<string>() }

export async function ask(client: Client, tool: string, args: Arguments = {}): Promise<Answer> {
  const result = await client.callTool({ name: tool, arguments: { ...args } })
  const [block, ...more] = result.content
  if (block?.type !== 'text') throw new Error('the answer has no text block')
  const answer: Answer = JSON.parse(block.text)
  expect(more).toEqual([])
  expect(result.isError ?? false).toBe(hasFailed(answer))
  expect(result.structuredContent).toEqual(answer)
  expectSound(answer)
  return answer
}

/** A DENY is no error; of several messages, none must have been done for it to be one. */
function hasFailed({ result, results }: Answer): boolean {
  const endings = ((results ?? [{ result }]) as readonly { readonly result?: string }[]).map((ending) => ending.result)
  return endings.some((ending) => ending === 'ERROR') && endings.every((ending) => ending !== 'OK')
}

function expectSound(answer: Answer): void {
  const { decision, reason, error_type } = answer
  expect(decision === 'ALLOW' ? ALLOWED : DENIED, JSON.stringify(answer)).toContain(reason)
  met.reasons.add(reason)
  expect(JSON.stringify({ ...answer, tags: [] })).not.toMatch(/\\u0000/)
  if (decision === 'DENY') onlyKeys(answer, WHEN_DENIED)
  else if (error_type === undefined) expectRedacted(answer)
  else expectFailed(answer)
}

function expectFailed(answer: Answer): void {
  const { result, error_type = '' } = answer
  expect(result).toBe('ERROR')
  expect(ERROR_TYPES).toContain(error_type)
  met.errors.add(error_type)
  onlyKeys(answer, WHEN_FAILED)
}

function onlyKeys(answer: Answer, allowed: readonly string[]): void {
  expect(
    Object.keys(answer).filter((key) => !allowed.includes(key)),
    JSON.stringify(answer),
  ).toEqual([])
}

function expectRedacted(answer: Answer): void {
  const { redaction_reason: why } = answer
  if (why !== undefined && why !== null) expect(DENIED).toContain(why)
  for (const shown of [answer, ...(answer.messages ?? [])]) {
    const redacted = (shown['redacted_fields'] ?? []) as readonly string[]
    for (const name of redacted) expect(shown[name] ?? null, `${name} is redacted and shown`).toBeNull()
  }
}

export async function refusal(client: Client, tool: string, args: Arguments = {}): Promise<RpcError> {
  const error = await client.callTool({ name: tool, arguments: { ...args } }).then(
    (result) => {
      throw new Error(`answered instead of refused: ${JSON.stringify(result.structuredContent)}`)
    },
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProtocolError)) throw error
  const data: RpcError['data'] = JSON.parse(JSON.stringify(error.data ?? {}))
  return { code: error.code, message: error.message, data }
}
