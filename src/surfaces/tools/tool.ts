/**
 * A tool is a contract, not a program: it names an action and renders an outcome.
 *
 * INVARIANT: a tool holds no handler and no client, so the gate is the only code that can run what it describes.
 */
import type { z } from 'zod'
import type { ActionKind, ActionOf } from '../../core/action.ts'
import type { SetLimits } from '../../core/call/limits.ts'
import type { Outcome, Timing } from '../../core/call/outcome.ts'
import type { Failure } from '../../core/failure.ts'
import type { FolderStyle } from '../../core/mailbox-path.ts'
import type { Capability } from '../../core/policy/folder.ts'
import type { Level } from '../../core/policy/level.ts'

/** What a call may do to mail. Clients see it as MCP annotations. */
export type Effect = 'read' | 'change' | 'destroy' | 'send'

type Value = Readonly<Record<string, unknown>>

/** What goes back to the client: a JSON object, the same said in words, or a JSON-RPC error. */
export type Answer = JsonAnswer | TextAnswer | Refusal

export interface JsonAnswer {
  readonly kind: 'json'
  readonly value: Value
  /** Whether it says that nothing of what was asked for was done. */
  readonly isError?: boolean
}

export interface TextAnswer {
  readonly kind: 'text'
  readonly text: string
  /** What the text says, for programs. */
  readonly value: Value
  /** Whether it says that what was asked for did not happen. */
  readonly isError?: boolean
  readonly blocks?: readonly Block[]
}

/** What stands beside the text of an answer. */
export type Block =
  | { readonly kind: 'image'; readonly mimeType: string; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly uri: string; readonly mimeType: string; readonly bytes: Uint8Array }

export interface Refusal {
  readonly kind: 'error'
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** What a policy must allow somewhere for a tool to be of any use. */
export interface Requirement {
  readonly visibility?: Level
  readonly capabilities?: readonly Capability[]
  /** That letters may leave at all. */
  readonly sends?: boolean
}

export interface Tool<I extends z.ZodType = z.ZodType, K extends ActionKind = ActionKind> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly requires?: Requirement
  /** Keys of our own in its input schema. */
  readonly marks?: Readonly<Record<string, unknown>>
  readonly input: I
  /** What the listing shows of the input, where the tool has a better answer than the schema to what it must refuse. */
  readonly listedInput?: z.ZodType
  readonly output: z.ZodType
  /** Throws `Failure('invalid_input')` for what the schema cannot say. */
  action(input: z.output<I>): ActionOf<K>
  render(outcome: Outcome<K>, action: ActionOf<K>, input: z.output<I>): Answer
}

/** A tool as a surface sees it, its types folded away: `prepare` is the only way in, `render` the only way out. */
export interface AnyTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly requires?: Requirement
  readonly marks?: Readonly<Record<string, unknown>>
  readonly input: z.ZodType
  readonly listedInput?: z.ZodType
  readonly output: z.ZodType
  /** `input` has passed the schema. */
  prepare(input: unknown): Prepared
}

export interface Prepared<K extends ActionKind = ActionKind> {
  readonly action: ActionOf<K>
  render(outcome: Outcome<K>): Answer
}

export function defineTool<I extends z.ZodType, K extends ActionKind>(tool: Tool<I, K>): AnyTool {
  return Object.freeze({
    ...tool,
    prepare(input: unknown): Prepared {
      const parsed = input as z.output<I>
      const action = tool.action(parsed)
      return { action, render: (outcome) => tool.render(outcome as Outcome<K>, action, parsed) }
    },
  })
}

export interface ToolSet {
  readonly name: string
  readonly tools: readonly AnyTool[]
  readonly folders: FolderStyle
  readonly limits?: SetLimits
  /** Whether a call need not name an account where only one could be meant. */
  readonly soleAccount?: boolean
  readonly resources?: ResourceSet
  /** The same answer, naming no tool that the caller does not have. */
  namingOnly?(answer: Answer, offered: ReadonlySet<string>): Answer
  /** How this set words what never reached the gate: bad input. Without a tool where a resource was asked for. */
  refuse(failure: Failure, timing: Timing, tool?: string): Refusal | TextAnswer
}

export interface ResourceSet {
  readonly templates: readonly ResourceTemplate[]
  /** Throws `Failure` for an address that is none of ours. */
  prepare(uri: string): PreparedResource
}

export interface ResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType?: string
}

export interface PreparedResource<K extends ActionKind = ActionKind> {
  readonly action: ActionOf<K>
  render(outcome: Outcome<K>): ResourceContents | Refusal
}

export interface ResourceContents {
  readonly kind: 'contents'
  readonly mimeType: string
  readonly body: { readonly text: string } | { readonly blob: Uint8Array }
}
