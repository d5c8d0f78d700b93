/** A message as IMAP speaks of it: its parts, their headers and bodies, written apart from the adapter's own reading. */
import type { Message } from './store.ts'

export interface MimePart {
  /** With the empty line that ends it. */
  readonly header: Buffer
  readonly body: Buffer
  readonly type: string
  readonly subtype: string
  readonly parameters: readonly (readonly [string, string])[]
  readonly children: readonly MimePart[]
  /** What a message/rfc822 part holds. */
  readonly message: MimePart | undefined
}

export function parseMessage(bytes: Buffer, fallback = 'text/plain'): MimePart {
  const { header, body } = split(bytes)
  const content = structured(fieldOf(header, 'content-type') ?? '')
  const [type = '', subtype = ''] = (/^[^\s/]+\/[^\s/]+$/.test(content.value) ? content.value : fallback).split('/')
  const parameters = content.value === '' ? ([['charset', 'us-ascii']] as const) : content.parameters
  const boundary = parameters.find(([name]) => name === 'boundary')?.[1]
  const inner = subtype === 'digest' ? 'message/rfc822' : 'text/plain'
  const multipart = type === 'multipart' && boundary !== undefined
  return {
    header,
    body,
    type: type === 'multipart' && !multipart ? 'text' : type,
    subtype: type === 'multipart' && !multipart ? 'plain' : subtype,
    parameters,
    children: multipart ? pieces(body, boundary).map((piece) => parseMessage(piece, inner)) : [],
    message: type === 'message' && subtype === 'rfc822' ? parseMessage(body) : undefined,
  }
}

/** `HEADER`, `TEXT`, `1.2`, `3.HEADER`, `2.MIME`, empty for all. Undefined where there is no such section. */
export function section(root: MimePart, whole: Buffer, name: string, fields: readonly string[]): Buffer | undefined {
  const [, path = '', what = ''] = /^([0-9.]*?)\.?([A-Z.]*)$/.exec(name) ?? []
  if (path === '' && what === '') return whole
  const part = path === '' ? root : partAt(root, path.split('.').map(Number))
  if (part === undefined) return undefined
  if (what === '') return part.body
  if (what === 'MIME') return part.header
  const entity = path === '' ? part : part.message
  if (what === 'TEXT') return entity?.body
  return entity === undefined ? undefined : headerOf(entity.header, what, fields)
}

function headerOf(header: Buffer, what: string, fields: readonly string[]): Buffer {
  if (what === 'HEADER') return header
  const wanted = new Set(fields.map((name) => name.toLowerCase()))
  const not = what === 'HEADER.FIELDS.NOT'
  const kept = linesOf(header).filter(({ name }) => wanted.has(name) !== not)
  return Buffer.from(`${kept.map(({ raw }) => raw).join('')}\r\n`, 'latin1')
}

function partAt(root: MimePart, [first = 1, ...rest]: readonly number[]): MimePart | undefined {
  const entity = root.message ?? root
  const part = entity.children.length > 0 ? entity.children[first - 1] : first === 1 ? entity : undefined
  return part === undefined || rest.length === 0 ? part : hasParts(part) ? partAt(part, rest) : undefined
}

function hasParts({ children, message }: MimePart): boolean {
  return children.length > 0 || message !== undefined
}

/** The first field of that name, unfolded, one character for each byte. */
export function fieldOf(header: Buffer, name: string): string | undefined {
  const found = linesOf(header).find((field) => field.name === name.toLowerCase())?.raw
  return found
    ?.slice(found.indexOf(':') + 1)
    .replace(/\r?\n/g, '')
    .trim()
}

function linesOf(header: Buffer): { readonly name: string; readonly raw: string }[] {
  const fields = header.toString('latin1').match(/^[^\s:][^\n]*(?:\n[ \t][^\n]*)*(?:\n|$)/gm) ?? []
  return fields.map((raw) => ({ name: raw.slice(0, raw.indexOf(':')).trim().toLowerCase(), raw }))
}

/** `text/plain; charset=utf-8`: the value in lower case, the parameters as they are written. */
export function structured(text: string): { value: string; parameters: (readonly [string, string])[] } {
  const [value = ''] = text.split(';')
  const found = text.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g)
  const parameters = [...found].map(
    ([, name = '', quoted, bare = '']) => [name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare] as const,
  )
  return { value: value.trim().toLowerCase(), parameters }
}

function split(bytes: Buffer): { header: Buffer; body: Buffer } {
  if (bytes.indexOf('\r\n') === 0) return { header: bytes.subarray(0, 2), body: bytes.subarray(2) }
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return { header: bytes, body: bytes.subarray(bytes.length) }
  return { header: bytes.subarray(0, end + 4), body: bytes.subarray(end + 4) }
}

function pieces(body: Buffer, boundary: string): Buffer[] {
  const text = `\r\n${body.toString('latin1')}`
  const [, ...found] = text.split(`\r\n--${boundary}`)
  const end = found.findIndex((piece) => piece.startsWith('--'))
  const inside = end === -1 ? found : found.slice(0, end)
  return inside.map((piece) => Buffer.from(piece.replace(/^[ \t]*\r\n/, ''), 'latin1'))
}

/** Which thread a message belongs to: that of a message it answers. */
export function threadOf(bytes: Buffer, known: readonly Message[]): bigint | undefined {
  const { header } = split(bytes)
  const answered = `${fieldOf(header, 'in-reply-to') ?? ''} ${fieldOf(header, 'references') ?? ''}`.match(/<[^>]+>/g)
  if (answered === null) return undefined
  return known.find(({ raw }) => answered.includes(fieldOf(split(raw).header, 'message-id') ?? ''))?.thrid
}
