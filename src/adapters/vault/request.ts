/**
 * The file that asks a person: front matter, what to do with it, and all of the message, what recipients will not see first.
 *
 * INVARIANT: a file that can approve a message shows all of it. Every value is one line in double quotes with whatever is not plainly visible escaped, so that nothing in a message
 * can end the front matter, add to it, or show as something else. It is never larger than what is read back.
 */

import type { StrictAddress } from '../../core/compose/strict-address.ts'
import type { EntryState, OutboxEntry } from '../../core/outbox/entry.ts'
import { presentEntry } from '../../core/outbox/present.ts'
import { tooManyRecipients } from './failures.ts'
import { LARGEST_FILE } from './files.ts'
import { parseFrontMatter, withLines } from './front-matter.ts'
import { standingWords, tooLong, withStanding } from './standing.ts'

/** Room for the state that is written into it later. */
const LARGEST_REQUEST = LARGEST_FILE - 16 * 1024

/** `presented` is all of the message. A file that cannot show all of it approves nothing: it has no digest, and says so. */
export function requestText(entry: OutboxEntry, presented = presentEntry(entry)): string {
  const { id, state } = entry
  const whole = `${frontOf(entry, true)}\n${standingWords(state.kind, id)}\n\n${presented}`
  if (byteLength(whole) <= LARGEST_REQUEST) return whole
  const words = state.kind === 'waiting' ? tooLong(id) : standingWords(state.kind, id)
  const head = `${frontOf(entry, false)}\n${words}\n\n`
  const room = LARGEST_REQUEST - byteLength(head)
  if (room < 0) throw tooManyRecipients()
  return head + cutTo(presented, room, id)
}

function frontOf({ id, digest, sending, created, expires, state }: OutboxEntry, isWhole: boolean): string {
  const { account, from, to, cc, bcc, subject, thread } = sending
  const type = sending.kind === 'send' ? 'email_send' : 'email_reply'
  return frontMatter({
    id,
    type: isWhole ? type : 'notice',
    account,
    from: from.address,
    to: addresses(to),
    cc: addresses(cc),
    bcc: bcc.length === 0 ? undefined : addresses(bcc),
    subject,
    thread_id: thread?.id,
    digest: isWhole ? digest : undefined,
    created: iso(created),
    expires: iso(expires),
    ...stateFields(state),
  })
}

/** The same file, saying what has become of the letter; undefined where it cannot be read. */
export function withState(text: string, state: EntryState): string | undefined {
  const parsed = parseFrontMatter(text)
  if (parsed === undefined) return undefined
  const id = parsed.fields.get('id')
  const rest = typeof id === 'string' ? withStanding(parsed.rest, state.kind, id) : parsed.rest
  return withLines({ ...parsed, rest }, new Map(Object.entries(stateFields(state)).flatMap(line)))
}

type Value = string | readonly string[] | undefined

function stateFields(state: EntryState): Readonly<Record<string, string | undefined>> {
  const approved = 'approval' in state ? { approved_at: iso(state.approval.at), approved_by: state.approval.by } : {}
  switch (state.kind) {
    case 'waiting':
      return { status: 'pending' }
    case 'approved':
      return { status: 'approved', ...approved }
    case 'claimed':
      return { status: 'sending', ...approved }
    case 'sent':
      return { status: 'sent', ...approved, sent_at: iso(state.at) }
    case 'failed':
      return { status: 'failed', failed_at: iso(state.at), reason: state.reason }
    case 'needs_operator':
      return { status: 'needs_operator', ...approved, since: iso(state.at) }
    case 'rejected':
      return { status: 'rejected', rejected_at: iso(state.at), rejected_by: state.by, reason: state.reason }
    case 'expired':
      return { status: 'expired', expired_at: iso(state.at) }
  }
}

function frontMatter(fields: Readonly<Record<string, Value>>): string {
  return [
    '---',
    ...Object.entries(fields)
      .flatMap(line)
      .map(([, text]) => text),
    '---',
    '',
  ].join('\n')
}

/** A key and the line of it. */
function line([key, value]: readonly [string, Value]): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[key, `${key}: ${written(value)}`]]
}

function written(value: string | readonly string[]): string {
  if (typeof value !== 'string') return `[${value.map(written).join(', ')}]`
  return PLAIN.test(value) ? value : JSON.stringify(value).replace(UNSEEN, escaped)
}

/** Words of ours, times, ids, digests and most addresses read better without quotes; to YAML they are the same text. */
const PLAIN = new RegExp(
  `^(?:${[
    '(?!(?:null|true|false|yes|no|on|off|y|n)$)[a-z]+(?:_[a-z]+)*',
    '\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z',
    '\\d{6}-[0-9a-f]{8}',
    '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    '[0-9a-f]{64}',
    '[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9][A-Za-z0-9.-]*',
  ].join('|')})$`,
)
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

function escaped(character: string): string {
  if (character === ' ') return character
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}

/** Always a list where there is not exactly one: a comma may be part of an address. */
function addresses(people: readonly StrictAddress[]): Value {
  const [only, ...others] = people.map(({ address }) => address)
  return only !== undefined && others.length === 0 ? only : people.map(({ address }) => address)
}

function cutTo(text: string, mostBytes: number, id: string): string {
  if (byteLength(text) <= mostBytes) return text
  const note = `\n\n(There is more of it than fits here. See all of it with: postern outbox ${id})\n`
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, mostBytes - byteLength(note))))
  return text.slice(0, read) + note
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
