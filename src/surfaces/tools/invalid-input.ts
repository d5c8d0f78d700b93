/**
 * Says in one sentence what is wrong with a tool's input, so that an agent can mend it.
 *
 * INVARIANT: names the argument and the rule it broke; quotes a value only where it is short.
 */
import type { z } from 'zod'
import { nearest } from '../../core/text/nearest.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]
/** A JSON schema, of which only what is asked for here is looked at. */
export type JsonSchema = Readonly<Record<string, unknown>>

const MAX_QUOTED = 40
/** Each comparison takes time, and one request can hold very many unknown arguments. No tool has as many as this. */
const MAX_COMPARED = 100
/** How zod's own messages begin; anything else was written by us and is better. */
const ZODS_OWN = /^(Invalid|Too small|Too big|Unrecognized|Expected)/
/** Our own messages that read on from the argument's name. */
const READS_ON = /^(must|may|is|has|can|needs)\b/

/** `schema` is the JSON schema of the whole input: an issue knows one bound, the sentence names both. */
export function describeInvalidInput(issues: readonly Issue[], input: unknown, schema: JsonSchema): string {
  const [issue] = issues
  if (issue === undefined) return 'the arguments are not valid'
  if (issue.code === 'unrecognized_keys' && ZODS_OWN.test(issue.message)) {
    return unknownKey(issue.path, issue.keys[0] ?? '', schema)
  }
  const name = nameOf(issue.path)
  const value = valueAt(input, issue.path)
  if (value === undefined && issue.path.length > 0)
    return misspelled(issue.path, input, schema) ?? `${name} is required`
  if (!ZODS_OWN.test(issue.message)) return READS_ON.test(issue.message) ? `${name} ${issue.message}` : issue.message
  return `${name} ${rule(issue, value, schemaAt(schema, issue.path))}`
}

function rule(issue: Issue, value: unknown, schema: JsonSchema): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}; got ${describe(value)}`
    case 'too_small':
    case 'too_big':
      return bounds(value, schema, issue)
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}; got ${describe(value)}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}; got ${describe(value)}`
    case 'invalid_format':
      return 'does not have the expected form'
    default:
      return 'is not valid'
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

type SizeIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>

function bounds(value: unknown, schema: JsonSchema, issue: SizeIssue): string {
  const [low, high, unit, actual] = range(value, schema)
  const min = low ?? (issue.code === 'too_small' ? Number(issue.minimum) : undefined)
  const max = high ?? (issue.code === 'too_big' ? Number(issue.maximum) : undefined)
  if (unit !== '' && actual === 0 && min === 1) return 'must not be empty'
  const verb = unit === '' ? 'must be' : 'must have'
  return `${verb} ${span(min, max)}${unit}; got ${actual}`
}

function span(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `at most ${max}`
  if (max === undefined) return `at least ${min}`
  return min === max ? `exactly ${min}` : `between ${min} and ${max}`
}

type Range = [low: number | undefined, high: number | undefined, unit: string, actual: number]

function range(value: unknown, schema: JsonSchema): Range {
  if (typeof value === 'string') {
    return [bound(schema, 'minLength'), bound(schema, 'maxLength'), ' characters', value.length]
  }
  if (Array.isArray(value)) return [bound(schema, 'minItems'), bound(schema, 'maxItems'), ' items', value.length]
  return [bound(schema, 'minimum'), bound(schema, 'maximum'), '', Number(value)]
}

function bound(schema: JsonSchema, key: string): number | undefined {
  const value = schema[key]
  // The bounds of the language are nobody's rule.
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => JSON.stringify(value))
  return names.length === 1 ? (names[0] ?? '') : `one of ${names.join(', ')}`
}

/** Where a required argument is missing and an unknown one has nearly its name, that is what is wrong. */
function misspelled(path: Path, input: unknown, schema: JsonSchema): string | undefined {
  const [parent, missing] = [path.slice(0, -1), String(path.at(-1))]
  const known = schemaAt(schema, parent)['properties']
  const given = valueAt(input, parent)
  if (!isRecord(known) || !isRecord(given)) return undefined
  const names = Object.keys(given).slice(0, MAX_COMPARED)
  const key = names.find((name) => !Object.hasOwn(known, name) && nearest(name, [missing]) !== undefined)
  return key === undefined ? undefined : unknownKey(parent, key, schema)
}

function unknownKey(path: Path, key: string, schema: JsonSchema): string {
  const quoted = JSON.stringify(key.length > MAX_QUOTED ? `${key.slice(0, MAX_QUOTED)}…` : key)
  const known = schemaAt(schema, path)['properties']
  const meant = isRecord(known) ? nearest(key, Object.keys(known)) : undefined
  const where = path.length === 0 ? `unknown argument ${quoted}` : `unknown key ${quoted} in ${nameOf(path)}`
  return meant === undefined ? where : `${where}; did you mean ${JSON.stringify(meant)}?`
}

/** What was given, told rather than shown where it is long. */
function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return String(value)
  return value.length <= MAX_QUOTED ? JSON.stringify(value) : `a string of ${value.length} characters`
}

function nameOf(path: Path): string {
  if (path.length === 0) return 'arguments'
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`
    return name === '' ? String(key) : `${name}.${String(key)}`
  }, '')
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[String(key)] : undefined), input)
}

function schemaAt(schema: JsonSchema, path: Path): JsonSchema {
  let at: unknown = schema
  for (const key of path) {
    if (!isRecord(at)) return {}
    const properties = at['properties']
    at = typeof key === 'number' ? at['items'] : isRecord(properties) ? properties[String(key)] : undefined
  }
  return isRecord(at) ? at : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
