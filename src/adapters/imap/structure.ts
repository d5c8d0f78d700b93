/**
 * BODYSTRUCTURE as a tree of parts, numbered as IMAP does (RFC 3501, 6.4.5).
 *
 * INVARIANT: never throws for what a server may send; depth and number of parts are those of `core/mime/structure.ts`.
 */
import type { Part } from '../../core/message.ts'
import { decodeGuessed } from '../../core/mime/bytes.ts'
import { decodeParameters } from '../../core/mime/parameters.ts'
import { MAX_DEPTH, MAX_PARTS } from '../../core/mime/structure.ts'
import { bytesOf, itemsOf, numberOf, type Value } from './wire/value.ts'

const UNKNOWN: Omit<Part, 'id'> = {
  type: 'application/octet-stream',
  parameters: {},
  disposition: undefined,
  filename: undefined,
  contentId: undefined,
  encoding: '7bit',
  size: 0,
  children: [],
}

const TYPE = /^[\w!#$%&'*+.^`{|}~-]{1,127}\/[\w!#$%&'*+.^`{|}~-]{1,127}$/

const MOST_PLAIN = 16
// No underscore, so that no name changes the object that holds it; no control characters.
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9-]{0,30}$/
const PLAIN_VALUE = /^[ -~]{0,200}$/
const ENCODED = '=?'
const ASCII = /^[\0-\x7f]*$/

/** How a body numbers itself: by whether it is a multipart. */
interface Numbering {
  readonly multipart: string
  readonly single: string
  readonly children: string
}

interface Budget {
  parts: number
}

export function readStructure(value: Value | undefined): Part {
  return readBody(value, { multipart: '', single: '1', children: '' }, 0, { parts: MAX_PARTS })
}

function readBody(value: Value | undefined, numbering: Numbering, depth: number, budget: Budget): Part {
  budget.parts -= 1
  const fields = itemsOf(value)
  if (fields === undefined || fields.length === 0) return { ...UNKNOWN, id: numbering.single }
  return fields[0]?.kind === 'list'
    ? readMultipart(fields, numbering, depth, budget)
    : readSingle(fields, numbering.single, depth, budget)
}

function readMultipart(fields: readonly Value[], numbering: Numbering, depth: number, budget: Budget): Part {
  const count = fields.findIndex((field) => field.kind !== 'list')
  const bodies = count === -1 ? fields : fields.slice(0, count)
  const rest = count === -1 ? [] : fields.slice(count)
  const children: Part[] = []
  for (const [index, body] of bodies.entries()) {
    if (depth >= MAX_DEPTH || budget.parts <= 0) break
    const id = `${numbering.children}${index + 1}`
    children.push(readBody(body, { multipart: id, single: id, children: `${id}.` }, depth + 1, budget))
  }
  const parameters = readParameters(rest[1])
  return {
    ...UNKNOWN,
    ...readDisposition(rest[2], parameters),
    id: numbering.multipart,
    type: `multipart/${lower(rest[0]) ?? 'mixed'}`,
    parameters,
    children,
  }
}

function readSingle(fields: readonly Value[], id: string, depth: number, budget: Budget): Part {
  const type = typeOf(fields[0], fields[1])
  const description = text(fields[4])
  const parameters = readParameters(fields[2])
  const message = type === 'message/rfc822' && itemsOf(fields[8]) !== undefined
  // A server that does not know it for text has not counted its lines.
  const counted = lower(fields[0]) === 'text' || (type === 'text/plain' && numberOf(fields[7]) !== undefined)
  const extensions = message ? 10 : counted ? 8 : 7
  const inside: Numbering = { multipart: `${id}.TEXT`, single: `${id}.1`, children: `${id}.` }
  const room = depth < MAX_DEPTH && budget.parts > 0
  return {
    id,
    type,
    parameters,
    ...readDisposition(fields[extensions + 1], parameters),
    contentId: text(fields[3])?.trim().replace(/^<|>$/g, '') || undefined,
    encoding: lower(fields[5]) ?? '7bit',
    size: numberOf(fields[6]) ?? 0,
    ...(description === undefined ? {} : { description }),
    children: message && room ? [readBody(fields[8], inside, depth + 1, budget)] : [],
  }
}

/**
 * A Content-Type that the server could not read comes as empty strings: like one that is missing, it is plain text (RFC 2045 §5.2).
 * So is `text` without a subtype. What else is no type is not repeated.
 */
function typeOf(type: Value | undefined, subtype: Value | undefined): string {
  const kind = lower(type) ?? ''
  const written = `${kind}/${lower(subtype) ?? ''}`
  if (TYPE.test(written)) return written
  return kind === 'text' || written === '/' ? 'text/plain' : UNKNOWN.type
}

function readParameters(value: Value | undefined): Readonly<Record<string, string>> {
  const fields = itemsOf(value) ?? []
  if (fields.length === 0) return {}
  const texts = fields.length > MOST_PLAIN ? undefined : quotedTexts(fields)
  const plain = texts && plainParameters(texts)
  if (plain !== undefined) return plain
  const entries = new Map<string, string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = lower(fields[at]) ?? ''
    if (name !== '' && !entries.has(name)) entries.set(name, text(fields[at + 1]) ?? '')
  }
  return decodeParameters(Object.fromEntries(entries))
}

/** Undefined where one is no quoted string. */
function quotedTexts(fields: readonly Value[]): readonly string[] | undefined {
  const texts = fields.flatMap((field) => (field.kind === 'quoted' ? field.text : []))
  return texts.length === fields.length ? texts : undefined
}

/** Names and values in turn. Most need no decoding, and they come in hundred thousands. Undefined where one may need it. */
export function plainParameters(texts: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (texts.length > MOST_PLAIN) return undefined
  const parameters: Record<string, string> = {}
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [name = '', value = ''] = [texts[at], texts[at + 1]]
    if (!PLAIN_NAME.test(name) || !PLAIN_VALUE.test(value) || value.includes(ENCODED)) return undefined
    const key = name.toLowerCase()
    // Objects have a constructor by themselves.
    if (!Object.hasOwn(parameters, key)) parameters[key] = value.trim()
  }
  return parameters
}

function readDisposition(
  value: Value | undefined,
  parameters: Readonly<Record<string, string>>,
): Pick<Part, 'disposition' | 'filename'> {
  const [kind, extra] = itemsOf(value) ?? []
  return { disposition: lower(kind) || undefined, filename: readParameters(extra)['filename'] ?? parameters['name'] }
}

function lower(value: Value | undefined): string | undefined {
  return text(value)?.trim().toLowerCase()
}

function text(value: Value | undefined): string | undefined {
  if (value?.kind === 'quoted' && ASCII.test(value.text)) return value.text
  const bytes = bytesOf(value)
  return bytes === undefined ? undefined : decodeGuessed(bytes)
}
