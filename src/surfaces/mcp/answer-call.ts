/**
 * From a client's request to the gate and back: finds the tool or resource, checks the input, renders the outcome.
 *
 * INVARIANT: nothing runs but through the gate, and nothing reaches it whose input did not pass the tool's schema. A call that is
 * refused before that is in the audit log too; if it cannot be recorded, the answer says so, as it does for other calls.
 */
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server'
import type { ActionKind } from '../../core/action.ts'
import type { RefusedReason } from '../../core/audit/refused-call.ts'
import type { Caller } from '../../core/call/caller.ts'
import type { Timing } from '../../core/call/outcome.ts'
import type { Ask } from '../../core/call/question.ts'
import { Failure } from '../../core/failure.ts'
import { nearest } from '../../core/text/nearest.ts'
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
  TextAnswer,
  ToolSet,
} from '../tools/tool.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from './json-rpc.ts'
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

/** `ask` puts a question to the person behind the client, where the client can do that. */
export async function answerToolCall(
  desk: Desk,
  params: Params,
  signal: AbortSignal,
  ask?: Ask,
): Promise<CallToolResult> {
  const started = desk.clock.elapsed()
  const { name } = params
  if (typeof name !== 'string') {
    const words = 'name is required and must be a string'
    return toResult(await refused(desk, started, 'tools/call', 'invalid_arguments', invalid(words)))
  }
  const found = findTool(desk.sets, name)
  if (found === undefined) {
    return toResult(await refused(desk, started, name, 'unknown_tool', invalid(unknownTool(desk, name))))
  }
  const { tool, set } = found
  const prepared = orRefused(
    () => prepare(tool, params['arguments'] ?? {}),
    (failure) => set.refuse(failure, timing(desk, started), name),
  )
  if (prepared.kind === 'refused') {
    return toResult(await refused(desk, started, name, 'invalid_arguments', prepared.answer, set))
  }
  const { action, render } = prepared.value
  const outcome = await desk.gate.run(asked(desk, { tool: name, action, ...fromSet(set), ...(ask && { ask }), signal }))
  const answer = render(outcome)
  const offered = new Set(desk.sets.flatMap(({ tools }) => tools.map((one) => one.name)))
  return toResult(set.namingOnly?.(answer, offered) ?? answer)
}

export async function answerResourceRead(desk: Desk, params: Params, signal: AbortSignal): Promise<ReadResourceResult> {
  const started = desk.clock.elapsed()
  const { uri } = params
  const found =
    typeof uri === 'string' ? findResource(desk, uri, started) : invalid('uri is required and must be a string')
  if (!('prepared' in found)) throw refusal(await refused(desk, started, 'resources/read', 'invalid_arguments', found))
  const { prepared, folders } = found
  const { action } = prepared
  const outcome = await desk.gate.run(asked(desk, { tool: 'resources/read', action, folders, signal }))
  return toContents(String(uri), prepared.render(outcome))
}

/** The answer to a call that is refused here: as given once it is recorded, else that it could not be. */
async function refused(
  desk: Desk,
  started: number,
  tool: string,
  reason: RefusedReason,
  answer: Refusal | TextAnswer,
  set: ToolSet | undefined = desk.sets[0],
): Promise<Refusal | TextAnswer> {
  const { caller } = desk
  const latencyMs = Math.round(desk.clock.elapsed() - started)
  try {
    await desk.gate.refuse({ caller, tool, reason, latencyMs })
    return answer
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (set === undefined) return { kind: 'error', code: INTERNAL_ERROR, message: error.message }
    return set.refuse(error, timing(desk, started), tool)
  }
}

/** Suggests only what the caller is offered. */
function unknownTool({ sets }: Desk, name: string): string {
  const words = `unknown tool ${JSON.stringify(name.slice(0, 64))}`
  const meant = nearest(
    name,
    sets.flatMap(({ tools }) => tools.map((tool) => tool.name)),
  )
  return meant === undefined ? words : `${words}; did you mean ${JSON.stringify(meant)}?`
}

function invalid(message: string): Refusal {
  return { kind: 'error', code: INVALID_PARAMS, message }
}

function fromSet({
  folders,
  limits,
  soleAccount,
}: ToolSet): Pick<Call<ActionKind>, 'folders' | 'limits' | 'soleAccount'> {
  return { folders, ...(limits && { limits }), ...(soleAccount && { soleAccount }) }
}

/** The gate may still be loading: what the caller may do is read when it looks, not before. */
function asked<K extends ActionKind>(desk: Desk, what: Omit<Call<K>, 'caller'>): Call<K> {
  return {
    get caller() {
      return desk.caller
    },
    ...what,
  }
}

function findTool(sets: readonly ToolSet[], name: string): { tool: AnyTool; set: ToolSet } | undefined {
  for (const set of sets) {
    const tool = set.tools.find((candidate) => candidate.name === name)
    if (tool !== undefined) return { tool, set }
  }
  return undefined
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
function findResource(desk: Desk, uri: string, started: number): FoundResource | Refusal | TextAnswer {
  let refused: Refusal | TextAnswer | undefined
  for (const set of desk.sets) {
    const { resources } = set
    if (resources === undefined) continue
    const prepared = orRefused(
      () => resources.prepare(uri),
      (failure) => set.refuse(failure, timing(desk, started)),
    )
    if (prepared.kind === 'ready') return { prepared: prepared.value, folders: set.folders }
    refused ??= prepared.answer
  }
  return refused ?? invalid('there is no such resource')
}

type Ready<T> =
  | { readonly kind: 'ready'; readonly value: T }
  | { readonly kind: 'refused'; readonly answer: Refusal | TextAnswer }

function orRefused<T>(work: () => T, refuse: (failure: Failure) => Refusal | TextAnswer): Ready<T> {
  try {
    return { kind: 'ready', value: work() }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { kind: 'refused', answer: refuse(error) }
  }
}

function timing({ clock }: Desk, started: number): Timing {
  return { nowUtc: new Date(clock.now()).toISOString(), durationMs: Math.round(clock.elapsed() - started) }
}

function toResult(answer: Answer): CallToolResult {
  if (answer.kind === 'error') throw refusal(answer)
  const { value } = answer
  const said: Pick<TextAnswer, 'text' | 'blocks' | 'isError'> =
    answer.kind === 'text' ? answer : { ...answer, text: JSON.stringify(value) }
  const { text, blocks = [], isError = false } = said
  return { content: [{ type: 'text', text }, ...blocks.map(toContent)], structuredContent: value, isError }
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

function refusal(answer: Refusal | TextAnswer): RpcError {
  if (answer.kind === 'text') return new RpcError(INVALID_PARAMS, answer.text)
  return new RpcError(answer.code, answer.message, answer.data)
}
