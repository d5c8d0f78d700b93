/** A file among the approvals, read. */
import type { ApprovalFile } from '../../core/outbox/approval-file.ts'
import { type FrontMatter, parseFrontMatter } from './front-matter.ts'

export type Reading = ApprovalFile | { readonly why: string }

/** `changed`: the file's own time, in milliseconds since 1970. */
export function readApproval(file: string, text: string, changed: number): Reading {
  const parsed = parseFrontMatter(text)
  if (parsed === undefined) return { why: 'has no front matter that can be read' }
  const { fields } = parsed
  const said = fields.get('approved_at') ?? fields.get('created')
  const at = said === undefined ? changed : timeIn(said)
  if (at === undefined) return { why: 'has a time that cannot be read; write one such as 2026-05-04T10:30:00Z' }
  const several = SINGLE.find((name) => typeof fields.get(name) === 'object')
  if (several !== undefined) return { why: `has a list where ${several} is one value` }
  const single = (name: Single): string | undefined => textOf(fields, name)
  return {
    file,
    id: single('id'),
    digest: single('digest'),
    type: single('type') ?? '',
    status: single('status'),
    to: addressesOf(fields, 'to'),
    cc: addressesOf(fields, 'cc'),
    bcc: addressesOf(fields, 'bcc'),
    subject: single('subject'),
    threadId: single('thread_id'),
    account: single('account'),
    at,
  }
}

const SINGLE = ['id', 'digest', 'type', 'status', 'subject', 'thread_id', 'account'] as const
type Single = (typeof SINGLE)[number]

function textOf(fields: FrontMatter['fields'], name: Single): string | undefined {
  const value = fields.get(name)
  return typeof value === 'string' ? value : undefined
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)[ ]?(?:([Zz])|([+-]\d{2}):?(\d{2}))?)?$/

/** Without a zone it is that of this machine, as whoever wrote it here meant it. */
function timeIn(said: string | readonly string[]): number | undefined {
  const [, day, time, utc, hours, minutes] = (typeof said === 'string' && TIME.exec(said)) || []
  if (day === undefined) return undefined
  const zone = hours === undefined ? (utc ?? '').toUpperCase() : `${hours}:${minutes}`
  const at = Date.parse(`${day}T${time ?? '00:00'}${zone}`)
  return Number.isNaN(at) ? undefined : at
}

/** One text with commas between them, or a list. */
function addressesOf(fields: FrontMatter['fields'], name: 'to' | 'cc' | 'bcc'): readonly string[] {
  const value = fields.get(name) ?? []
  const texts = typeof value === 'string' ? [value] : value
  return texts.filter((text) => !NOTHING.has(text)).flatMap(split)
}

/** What people write where there is nobody. */
const NOTHING: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL'])

/** A comma in quotes is part of a name or an address. What stands between two commas is kept, even if it is nothing. */
function split(text: string): readonly string[] {
  const parts: string[] = []
  let quoted = false
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '\\' && quoted) at += 1
    else if (character === '"') quoted = !quoted
    else if (character === ',' && !quoted) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...parts, text.slice(from).trim()]
}
