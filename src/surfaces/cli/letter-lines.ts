/**
 * Letters of the outbox in words, for whoever decides about them.
 *
 * INVARIANT: what somebody else wrote stays on its own line, behind a mark: it cannot pass for one of ours.
 */
import { APPROVAL_MS, type EntryKind, type OutboxEntry } from '../../core/outbox/entry.ts'
import { cut } from '../../core/text/cut.ts'
import { cleanLine, cleanText } from '../../core/text/plain.ts'
import type { ShownLetter } from '../../engine/outbox/desk.ts'
import { escaped } from './escaped.ts'
import { durationText, untilText } from './letter-times.ts'

const LONGEST_SUBJECT = 80
const MOST_READERS = 8
const STATE: Readonly<Record<EntryKind, string>> = {
  waiting: 'waiting',
  approved: 'approved',
  claimed: 'being sent',
  sent: 'sent',
  failed: 'failed',
  needs_operator: 'needs operator',
  rejected: 'rejected',
  expired: 'expired',
}

/** One letter of a list. */
export function listedLetter(entry: OutboxEntry, now: number): string {
  return linesOf([
    headOf(entry, now),
    ...recipientLines(entry),
    `    Subject: ${subjectOf(entry)}`,
    ...markLines(entry),
    ...deadlineLines(entry, now),
  ])
}

/** All of one message: what recipients will not see first, then what it says; what to know before deciding last. */
export function shownLetter(letter: ShownLetter, now: number): string {
  const { entry, unseen, head, body } = letter
  const { messageId, digest } = entry
  return linesOf([
    headOf(entry, now),
    `    Digest: ${digest}`,
    `    Message-ID: ${escaped(messageId)}`,
    ...(unseen === '' ? [] : ['', ...cleanLines(unseen)]),
    '',
    ...cleanLines(body).map((line) => `  | ${line}`),
    '',
    ...cleanLines(head),
    `    ${readersLine(letter)}`,
  ])
}

function cleanLines(text: string): readonly string[] {
  return cleanText(text).text.replace(/\n+$/, '').split('\n')
}

function headOf({ id, state, created, sending }: OutboxEntry, now: number): string {
  const what = sending.kind === 'reply' ? 'reply' : 'letter'
  const age = durationText(now - created)
  return `${id}  ${STATE[state.kind]}  ${what} by ${escaped(sending.caller)} from account ${escaped(sending.account)}, asked for ${age} ago`
}

function recipientLines({ sending }: OutboxEntry): readonly string[] {
  const rows = [
    ['To', sending.to],
    ['Cc', sending.cc],
    ['Bcc', sending.bcc],
  ] as const
  return rows
    .filter(([, people]) => people.length > 0)
    .map(([name, people]) => `    ${name}: ${people.map(({ address }) => escaped(address)).join(', ')}`)
}

function markLines({ marks }: OutboxEntry): readonly string[] {
  return marks.map(({ address, mark, like }) => {
    if (mark === 'repeated') return `    ! the very same letter has gone to ${escaped(address)} within a day`
    if (mark === 'new') return `    ! ${escaped(address)} is a new recipient`
    return `    ! ${escaped(address)} LOOKS LIKE ${like === undefined ? 'another address' : escaped(like)} and is not the same`
  })
}

function deadlineLines({ state, expires }: OutboxEntry, now: number): readonly string[] {
  if (state.kind === 'waiting') return [`    Expires: ${untilText(expires, now)}`]
  return state.kind === 'approved' ? [`    Expires: ${untilText(state.approval.at + APPROVAL_MS, now)}`] : []
}

function subjectOf({ sending }: OutboxEntry): string {
  const { text, truncated } = cut(cleanLine(sending.subject).text, LONGEST_SUBJECT)
  if (text === '') return '(none)'
  return truncated ? `${text}…` : text
}

function readersLine({ entry, readers, unknownReaders }: ShownLetter): string {
  const caller = escaped(entry.sending.caller)
  if (readers.length === 0 && unknownReaders)
    return `${caller} has read mail within a day; whose is not known any more.`
  if (readers.length === 0) return `${caller} has read nobody's mail within a day.`
  const more = readers.length > MOST_READERS ? ` and ${readers.length - MOST_READERS} more` : ''
  const listed = readers.slice(0, MOST_READERS).map(escaped).join(', ')
  const others = unknownReaders ? ', and that of others, who are not known any more' : ''
  return `Within a day ${caller} has read mail from or to ${listed}${more}${others}.`
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
