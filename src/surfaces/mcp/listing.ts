/**
 * How tool sets look in `tools/list` and `resources/templates/list`.
 *
 * INVARIANT: the same sets always give the same listing, in the order in which the sets name their tools. Schemas are
 * made once per tool, when first asked for. An input schema holds no combinator: common clients mishandle them.
 */
import type { Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { JsonSchema } from '../tools/invalid-input.ts'
import type { AnyTool, Effect, ResourceTemplate, ToolSet } from '../tools/tool.ts'

const ANNOTATIONS: Readonly<Record<Effect, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  change: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  // What was sent cannot be taken back, and it reaches people outside.
  send: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
}

const COMBINATORS = ['oneOf', 'anyOf', 'allOf', 'not'] as const

const inputSchemas = new WeakMap<AnyTool, JsonSchema>()
const listings = new WeakMap<AnyTool, ListedTool>()

export function listTools(sets: readonly ToolSet[]): ListedTool[] {
  return sets.flatMap((set) => set.tools.map(listTool))
}

export function listTemplates(sets: readonly ToolSet[]): ResourceTemplate[] {
  return sets.flatMap((set) => set.resources?.templates ?? [])
}

export function inputSchemaOf(tool: AnyTool): JsonSchema {
  const known = inputSchemas.get(tool)
  if (known !== undefined) return known
  const schema = toJsonSchema(tool.listedInput ?? tool.input, 'input', (part) => refuseCombinators(tool.name, part))
  inputSchemas.set(tool, schema)
  return schema
}

function listTool(tool: AnyTool): ListedTool {
  const known = listings.get(tool)
  if (known !== undefined) return known
  const listed: ListedTool = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...inputSchemaOf(tool), type: 'object', ...tool.marks },
    outputSchema: { ...toJsonSchema(tool.output, 'output'), type: 'object' },
    annotations: ANNOTATIONS[tool.effect],
  }
  listings.set(tool, listed)
  return listed
}

type Part = z.core.JSONSchema.BaseSchema

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', check?: (part: Part) => void): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override({ jsonSchema }) {
      check?.(jsonSchema)
      dropSafeBounds(jsonSchema)
    },
  })
  return rest
}

/** A whole number's bounds are those of the language: they tell a client nothing and cost it tokens. */
function dropSafeBounds(part: Part): void {
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum
}

function refuseCombinators(tool: string, part: Part): void {
  const used = COMBINATORS.find((name) => part[name] !== undefined)
  if (used !== undefined) throw new Error(`the input schema of ${tool} uses ${used}`)
}
