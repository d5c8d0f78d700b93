/** docs/reference/tools.md: every tool of every set, as `tools/list` tells a client of it. */

import { setsNamed } from '../src/house/tool-sets.ts'
import { listTemplates, listTools } from '../src/surfaces/mcp/listing.ts'
import type { ToolSet } from '../src/surfaces/tools/tool.ts'
import { Anchors } from './reference-anchors.ts'

const SETS = ['imap', 'policy', 'inbox', 'outbox']

const HEAD = `# Tools

Every tool of the four sets, as an MCP client is told of it. What is not marked as needed may be left out; nothing that is not listed is taken.
Which set a client gets: \`--toolsets\` of [postern serve](commands.md#postern-serve), \`toolsets\` in [callers.yaml](../configuration.md#callersyaml).
`

export function toolsPage(): string {
  const anchors = new Anchors()
  const sets = SETS.flatMap((name) => setsNamed([name]))
  return [HEAD, ...sets.map((set) => setSection(set, anchors))].join('\n')
}

type Listed = ReturnType<typeof listTools>[number]

/** Two sets may have a tool of one name. */
function setSection(set: ToolSet, anchors: Anchors): string {
  const tools = listTools([set])
  const links = tools.map(({ name }) => `[\`${name}\`](#${anchors.next(name)})`).join(' · ')
  return [`## The set \`${set.name}\`\n`, `${links}\n`, ...tools.map(toolSection), ...resources(set)].join('\n')
}

function toolSection({ name, title, description, inputSchema, outputSchema, annotations }: Listed): string {
  const rows = rowsOf(inputSchema as Schema, '')
  const answer = Object.keys((outputSchema as Schema | undefined)?.properties ?? {})
  return [
    `### ${name}\n`,
    `**${title}**: ${effectOf(annotations)}. ${description}\n`,
    rows.length === 0 ? 'It takes no arguments.\n' : table(rows),
    answer.length === 0
      ? ''
      : `Its answer has ${answer.map((field) => `\`${field}\``).join(', ')}, and may have more.\n`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function effectOf(annotations: Listed['annotations']): string {
  if (annotations?.readOnlyHint === true) return 'reads'
  if (annotations?.openWorldHint === true) return 'sends'
  return annotations?.destructiveHint === true ? 'removes' : 'changes'
}

function resources(set: ToolSet): readonly string[] {
  const templates = listTemplates([set])
  if (templates.length === 0) return []
  const rows = templates.map(
    ({ uriTemplate, title, description }) => `| \`${uriTemplate}\` | ${title}: ${description} |`,
  )
  return [['### Resources\n', '| address | |', '|---|---|', ...rows, ''].join('\n')]
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

interface Row {
  readonly name: string
  readonly needed: boolean
  readonly schema: Schema
}

/** A field, and those below it: `a`, `a.b`, `c[].d`. */
function rowsOf(schema: Schema, above: string): readonly Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = above + key
    const row = { name, needed: schema.required?.includes(key) === true, schema: field }
    const inner = objectIn(field)
    return inner === undefined ? [row] : [row, ...rowsOf(inner.schema, `${name}${inner.many ? '[]' : ''}.`)]
  })
}

function objectIn(schema: Schema): { readonly schema: Schema; readonly many: boolean } | undefined {
  if (schema.properties !== undefined) return { schema, many: false }
  if (schema.items !== undefined && schema.items.properties !== undefined) return { schema: schema.items, many: true }
  return schema.anyOf?.map(objectIn).find((found) => found !== undefined)
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, needed, schema }) =>
      `| \`${name}\` | ${typeOf(schema)} | ${[needed ? 'needed' : '', wordsOf(schema)].filter(Boolean).join('; ')} |`,
  )
  return ['| argument | is | |', '|---|---|---|', ...lines, ''].join('\n')
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`
  return [schema.type ?? 'anything'].flat().join(' or ')
}

function wordsOf(schema: Schema): string {
  const { description, minimum, maximum, maxLength, maxItems } = schema
  const bounds = [
    ...(schema.default === undefined ? [] : [`\`${JSON.stringify(schema.default)}\` when absent`]),
    ...(minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ]
  return [description?.replaceAll('|', '\\|') ?? '', bounds.join(', ')].filter(Boolean).join('; ')
}
