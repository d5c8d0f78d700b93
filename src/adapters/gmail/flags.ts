/**
 * Flags as Gmail's labels.
 *
 * INVARIANT: `\Seen` is the absence of UNREAD, `\Flagged` is STARRED, `\Draft` is DRAFT, which Gmail alone sets; `\Deleted` is a mark in
 * the uid store. Gmail keeps no other flag: whoever wants to set one is told so, and none is ever shown.
 */
import { Failure } from '../../core/failure.ts'

export interface LabelChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** What becomes of our own mark; undefined where it stays. */
  readonly deleted: boolean | undefined
}

const SYSTEM = new Set(['\\seen', '\\flagged', '\\draft', '\\deleted', '\\answered'])
// RFC 3501 atom characters: printable ASCII but for what has a meaning of its own in the protocol.
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]{1,255}$/

export function flagsOf(labels: readonly string[], deleted: boolean): string[] {
  return [
    ...(labels.includes('UNREAD') ? [] : ['\\Seen']),
    ...(labels.includes('STARRED') ? ['\\Flagged'] : []),
    ...(labels.includes('DRAFT') ? ['\\Draft'] : []),
    ...(deleted ? ['\\Deleted'] : []),
  ]
}

/** What adding or removing these means for a message. */
export function labelChange(change: 'add' | 'remove', flags: readonly string[], isDraft: boolean): LabelChange {
  const names = new Set(flags.map(proper))
  if (change === 'add' ? names.has('\\draft') && !isDraft : names.has('\\draft') && isDraft) {
    throw new Failure('unsupported', 'Gmail alone says what is a draft; the flag \\Draft cannot be changed')
  }
  const other = [...names].find((name) => !KEPT.has(name))
  if (change === 'add' && other !== undefined) {
    const message = 'Gmail keeps no flags but \\Seen and \\Flagged; use a label (a mailbox) instead of a keyword'
    throw new Failure('unsupported', message)
  }
  const labels = [...(names.has('\\flagged') ? ['STARRED'] : [])]
  const unread = names.has('\\seen') ? ['UNREAD'] : []
  const deleted = names.has('\\deleted') ? change === 'add' : undefined
  return change === 'add' ? { add: labels, remove: unread, deleted } : { add: unread, remove: labels, deleted }
}

const KEPT = new Set(['\\seen', '\\flagged', '\\draft', '\\deleted'])

/** The labels of a message that comes with these flags. Those that Gmail cannot keep are let go, as mail servers do. */
export function labelsFor(flags: readonly string[]): { readonly labels: readonly string[]; readonly deleted: boolean } {
  const names = new Set(flags.map(proper))
  const labels = [...(names.has('\\seen') ? [] : ['UNREAD']), ...(names.has('\\flagged') ? ['STARRED'] : [])]
  return { labels, deleted: names.has('\\deleted') }
}

function proper(flag: string): string {
  const name = flag.toLowerCase()
  if (SYSTEM.has(name) || KEYWORD.test(flag)) return name
  throw new Failure(
    'invalid_input',
    'a flag must be \\Seen, \\Answered, \\Flagged, \\Draft, \\Deleted or a keyword of atom characters',
  )
}
