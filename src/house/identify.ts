/**
 * Who is at stdin of a server with a configuration tree.
 *
 * INVARIANT: fixed before the first answer. Whoever cannot be identified is told one of a few words, is on record, and
 * gets nothing else.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { systemClock } from '../adapters/clock/system-clock.ts'
import { authFailed } from '../core/audit/events.ts'
import type { AuditLog } from '../ports/audit-log.ts'
import type { Log } from '../ports/log.ts'
import type { CannotStart } from '../surfaces/cli/serve.ts'
import type { Visitor } from '../surfaces/mcp/server.ts'
import type { TreeHouse } from './tree-house.ts'

type Variables = Readonly<Record<string, string | undefined>>

const NOT_IDENTIFIED = -32001

const WHY = {
  no_caller_identity: 'set IMAP_MCP_CALLER_ID to the id of a caller in callers.yaml',
  unknown_caller_id: 'IMAP_MCP_CALLER_ID names no caller of callers.yaml',
  no_bearer_token: 'this caller has a shared token: set IMAP_MCP_CALLER_TOKEN to it',
  wrong_token: 'IMAP_MCP_CALLER_TOKEN is not the token of this caller',
} as const

export interface IdentifyParts {
  readonly env: Variables
  readonly audit: AuditLog
  readonly log: Log
}

export async function visitorAtStdin(
  house: TreeHouse,
  { env, audit, log }: IdentifyParts,
): Promise<Visitor | CannotStart> {
  const id = env['IMAP_MCP_CALLER_ID']?.trim() ?? ''
  const reason = await unidentified(house, id, env['IMAP_MCP_CALLER_TOKEN'])
  if (reason === undefined) return house.visitor(id, 'stdio')
  const record = authFailed(new Date(systemClock.now()).toISOString(), reason, 'stdio', 0)
  // A refusal stands, whether or not it can be put on record.
  await audit.append(record).catch((error: unknown) => log.error({ err: error, reason }, 'a refusal is not on record'))
  const sentence = `${reason}: ${WHY[reason]}`
  return { kind: 'cannot_start', sentence, story: sentence, code: NOT_IDENTIFIED, reason }
}

async function unidentified(
  house: TreeHouse,
  id: string,
  token: string | undefined,
): Promise<keyof typeof WHY | undefined> {
  if (id === '') return 'no_caller_identity'
  const resident = house.resident(id)
  if (resident === undefined) return 'unknown_caller_id'
  const { auth } = resident.caller
  if (auth.type === 'stdio_trusted') return undefined
  if (token === undefined || token === '') return 'no_bearer_token'
  return isSame(token, await house.secrets.read(auth.secretRef)) ? undefined : 'wrong_token'
}

/** Digests have one length, so comparing them tells nothing about the length of a token. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
