/**
 * From a client's request to the gate and back: finds the tool or resource, checks the input, renders the outcome.
 *
 * INVARIANT: nothing runs but through the gate, and nothing reaches it whose input did not pass the tool's schema.
 */
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server'
import type { ActionKind } from '../../core/action.ts'
import type { Caller } from '../../core/call/caller.ts'
import { Failure } from '../../core/failure.ts'
import type { Call, Gate } from '../../engine/gate/gate.ts'
import { describeInvalidInput } from '../tools/invalid-input.ts'
import type {
  Answer,
  AnyTool,
  Block,
  Prepared,
  PreparedResource,
  Refusal,
  ResourceContents,
  ToolSet,
} from '../tools/tool.ts'
import { INVALID_PARAMS, RpcError } from './json-rpc.ts'
import { inputSchemaOf } from './listing.ts'

/** The time, and milliseconds that only grow. */
export interface Elapsed {
  now(): number
  elapsed(): number
}

export interface Desk {
  readonly caller: Caller
  readonly sets: readonly ToolSet[]
  readonly gate: Gate
  readonly clock: Elapsed
}

type Params = Readonly<Record<string, unknown>>

export async function answerToolCall(desk: Desk, params: Params, signal: AbortSignal): Promise<CallToolResult> {
  const started = desk.clock.elapsed()
  const { name } = params
  if (typeof name !== 'string') throw new RpcError(INVALID_PARAMS, 'name is required and must be a string')
  const { tool, set } = findTool(desk.sets, name)
  const prepared = orRefused(desk, set, started, () => prepare(tool, params['arguments'] ?? {}))
  const { folders, limits } = set
  const call = { tool: name, action: prepared.action, folders, ...(limits && { limits }), signal }
  const outcome = await desk.gate.run(asked(desk, call))
  return toResult(prepared.render(outcome))
}

export async function answerResourceRead(desk: Desk, params: Params, signal: AbortSignal): Promise<ReadResourceResult> {
  const started = desk.clock.elapsed()
  const { uri } = params
  if (typeof uri !== 'string') throw new RpcError(INVALID_PARAMS, 'uri is required and must be a string')
  const { prepared, folders } = findResource(desk, uri, started)
  const { action } = prepared
  const outcome = await desk.gate.run(asked(desk, { tool: 'resources/read', action, folders, signal }))
  return toContents(uri, prepared.render(outcome))
}

/** The gate may still be loading: what the caller may do is read when it looks, not before. */
function asked<K extends ActionKind>(desk: Desk, what: Omit<Call<K>, 'caller'>): Call<K> {
  const { tool, action, folders, limits, signal } = what
  return {
    get caller() {
      return desk.caller
    },
    tool,
    action,
    folders,
    ...(limits && { limits }),
    signal,
  }
}

function findTool(sets: readonly ToolSet[], name: string): { tool: AnyTool; set: ToolSet } {
  for (const set of sets) {
    const tool = set.tools.find((candidate) => candidate.name === name)
    if (tool !== undefined) return { tool, set }
  }
  throw new RpcError(INVALID_PARAMS, `unknown tool ${JSON.stringify(name.slice(0, 64))}`)
}

function prepare(tool: AnyTool, input: unknown): Prepared {
  const parsed = tool.input.safeParse(input)
  if (parsed.success) return tool.prepare(parsed.data)
  throw new Failure('invalid_input', describeInvalidInput(parsed.error.issues, input, inputSchemaOf(tool)))
}

interface FoundResource {
  readonly prepared: PreparedResource
  readonly folders: ToolSet['folders']
}

/** The first set that knows the address; where none does, the first set's own words. */
function findResource(desk: Desk, uri: string, started: number): FoundResource {
  let refused: RpcError | undefined
  for (const set of desk.sets) {
    const { resources } = set
    if (resources === undefined) continue
    try {
      const prepared = orRefused(desk, set, started, () => resources.prepare(uri))
      return { prepared, folders: set.folders }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      refused ??= error
    }
  }
  throw refused ?? new RpcError(INVALID_PARAMS, 'there is no such resource')
}

function orRefused<T>(desk: Desk, set: ToolSet, started: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const nowUtc = new Date(desk.clock.now()).toISOString()
    throw refusal(set.refuse(error, { nowUtc, durationMs: Math.round(desk.clock.elapsed() - started) }))
  }
}

function toResult(answer: Answer): CallToolResult {
  if (answer.kind === 'error') throw refusal(answer)
  const { value } = answer
  const [text, blocks] = answer.kind === 'text' ? [answer.text, answer.blocks ?? []] : [JSON.stringify(value), []]
  return { content: [{ type: 'text', text }, ...blocks.map(toContent)], structuredContent: value, isError: false }
}

function toContent(block: Block): CallToolResult['content'][number] {
  const { mimeType } = block
  const data = base64(block.bytes)
  if (block.kind === 'image') return { type: 'image', data, mimeType }
  return { type: 'resource', resource: { uri: block.uri, mimeType, blob: data } }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

function toContents(uri: string, answer: ResourceContents | Refusal): ReadResourceResult {
  if (answer.kind === 'error') throw refusal(answer)
  const { mimeType, body } = answer
  const text = 'text' in body ? { text: body.text } : { blob: base64(body.blob) }
  return { contents: [{ uri, mimeType, ...text }] }
}

function refusal({ code, message, data }: Refusal): RpcError {
  return new RpcError(code, message, data)
}
