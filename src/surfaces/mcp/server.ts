/**
 * One MCP server for one caller, on the SDK's low-level `Server`.
 *
 * INVARIANT: nothing depends on a session: a server may live for one request. What it answers depends on its caller
 * and its tool sets alone.
 */
import type { Result, Server } from '@modelcontextprotocol/server'
import type { Caller } from '../../core/call/caller.ts'
import type { Gate } from '../../engine/gate/gate.ts'
import type { ToolSet } from '../tools/tool.ts'
import { answerResourceRead, answerToolCall, type Desk, type Elapsed } from './answer-call.ts'
import { inquiryOf, PATIENCE_MS } from './inquiry.ts'
import { listTemplates, listTools } from './listing.ts'
import { type Syncing, withProgress } from './progress.ts'
import { type WireParts, WireServer } from './wire-server.ts'

export interface ServerParts extends WireParts {
  readonly gate: Gate
  readonly clock: Elapsed
  /** What is being synced at this moment, as far as the caller may know. */
  readonly syncing?: (caller: Caller) => Syncing | undefined
  /** How long a person who is asked may take. */
  readonly patienceMs?: number
  /** Answers `debug/health`; absent where nobody is looking for a fault. */
  readonly health?: (caller: Caller) => Promise<Result>
}

/** Read anew for every request: a reload may have changed the policy, never who it is. */
export interface Visitor {
  readonly caller: Caller
  readonly sets: readonly ToolSet[]
}

export type Era = 'legacy' | 'modern'

/** The listing depends on the caller, and changes only with the configuration. */
const CACHE = { ttlMs: 300_000, cacheScope: 'private' }
const NO_CACHE = { ttlMs: 0, cacheScope: 'private' }

export function makeServer(parts: ServerParts, visitor: Visitor, era: Era): Server {
  const { gate, clock, health } = parts
  const syncing = (): Syncing | undefined => parts.syncing?.(visitor.caller)
  const desk = (): Desk => ({
    get caller() {
      return visitor.caller
    },
    sets: visitor.sets,
    gate,
    clock,
  })
  const cache = (hint: Result): Result => (era === 'modern' ? hint : {})
  const server = new WireServer(
    parts,
    visitor.sets.some((set) => set.resources !== undefined),
    (name) => visitor.sets.some(({ tools }) => tools.some((tool) => tool.name === name)),
  )
  server.answer('tools/list', () => ({ tools: listTools(visitor.sets), ...cache(CACHE) }))
  server.answer('tools/call', (params, signal, tell, client) => {
    const { patienceMs = PATIENCE_MS, calls } = parts
    const asker = { caller: () => visitor.caller.id, questions: calls.questions, signal, patienceMs }
    const inquiry = inquiryOf(era, client, asker)
    return withProgress(tell, syncing, async () => {
      const result = await answerToolCall(desk(), params, signal, inquiry?.ask)
      return inquiry?.instead() ?? result
    })
  })
  // Some hosts end a conversation this way; MCP itself has no such request.
  server.answer('shutdown', () => ({}))
  if (health !== undefined) server.answer('debug/health', () => health(visitor.caller))
  if (server.hasResources) {
    server.answer('resources/list', () => ({ resources: [], ...cache(CACHE) }))
    server.answer('resources/templates/list', () => ({
      resourceTemplates: listTemplates(visitor.sets),
      ...cache(CACHE),
    }))
    server.answer('resources/read', async (params, signal) => {
      return { ...(await answerResourceRead(desk(), params, signal)), ...cache(NO_CACHE) }
    })
  }
  return server
}
