import { expect, test } from 'vitest'
import { z } from 'zod'
import { type AnyTool, defineTool, type Effect, type ToolSet } from '../tools/tool.ts'
import { inputSchemaOf, listTools } from './listing.ts'

function tool(name: string, effect: Effect, input: z.ZodType = z.strictObject({})): AnyTool {
  return defineTool({
    name,
    title: name.toUpperCase(),
    description: `Does ${name}`,
    effect,
    input,
    output: z.object({ done: z.boolean(), count: z.int() }),
    action: () => ({ kind: 'list_accounts' }),
    render: () => ({ kind: 'json', value: {} }),
  })
}

function set(name: string, ...tools: AnyTool[]): ToolSet {
  return { name, tools, folders: 'names', refuse: ({ message }) => ({ kind: 'error', code: -32602, message }) }
}

test('tools are listed in the order of their sets, the same way every time', () => {
  const sets = [set('b', tool('two', 'read'), tool('one', 'change')), set('a', tool('three', 'send'))]
  expect(listTools(sets).map(({ name }) => name)).toEqual(['two', 'one', 'three'])
  expect(listTools(sets)).toEqual(listTools(sets))
})

test.each<[Effect, object]>([
  ['read', { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
  ['change', { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }],
  ['destroy', { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }],
  ['send', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
])('%s becomes annotations', (effect, annotations) => {
  expect(listTools([set('s', tool('t', effect))])[0]).toMatchObject({ title: 'T', description: 'Does t', annotations })
})

test('schemas carry the bounds that were chosen and no others', () => {
  const input = z.strictObject({ uid: z.int().min(1), size: z.int(), limit: z.int().max(5).default(5) })
  const [listed] = listTools([set('s', tool('t', 'read', input))])
  expect(listed?.inputSchema).toEqual({
    type: 'object',
    properties: {
      uid: { type: 'integer', minimum: 1 },
      size: { type: 'integer' },
      limit: { type: 'integer', maximum: 5, default: 5 },
    },
    required: ['uid', 'size'],
    additionalProperties: false,
  })
  expect(listed?.outputSchema?.['properties']).toEqual({ done: { type: 'boolean' }, count: { type: 'integer' } })
})

test('an input schema that needs a combinator is a mistake that shows at once', () => {
  const input = z.strictObject({ nested: z.strictObject({ either: z.union([z.string(), z.strictObject({})]) }) })
  expect(() => inputSchemaOf(tool('t', 'read', input))).toThrow('the input schema of t uses anyOf')
})

test('an argument may be called like a combinator', () => {
  const input = z.strictObject({ not: z.string() })
  expect(inputSchemaOf(tool('t', 'read', input))).toMatchObject({ properties: { not: { type: 'string' } } })
})

test('where a tool lists another input than it takes, that one is listed', () => {
  const taken = tool('t', 'read', z.strictObject({ name: z.string().default('') }))
  const listedInput = z.strictObject({ name: z.string() })
  expect(inputSchemaOf(taken)).not.toHaveProperty('required')
  expect(inputSchemaOf({ ...taken, listedInput })).toMatchObject({ required: ['name'] })
})
