/** What a list of emails says of each, in words and for programs. */
import type { FoundMail, FoundMessage } from '../../../core/results.ts'
import { nameOf } from '../message-name.ts'
import { dropUndefined, type Report } from './answer.ts'
import { coverageData, coverageLine, lines } from './texts.ts'

export interface Listing {
  readonly heading: string
  /** The lines of one email. */
  entry(email: FoundMessage): string
}

export function listing(found: FoundMail, redacted: readonly string[], { heading, entry }: Listing): Report {
  const { messages, total, more, coverage } = found
  return {
    text: lines(
      heading,
      '',
      ...messages.flatMap((email) => [entry(email), '---']),
      more ? `Showing the newest ${messages.length} of ${total}` : undefined,
      redacted.length > 0 ? `Not shown to you, of some at least: ${redacted.join(', ')}` : undefined,
      coverageLine(coverage),
    ).trimEnd(),
    value: dropUndefined({
      found: messages.length,
      total,
      more,
      emails: messages.map(shown),
      redacted_fields: redacted.length > 0 ? redacted : undefined,
      coverage: coverageData(coverage),
    }),
  }
}

export function isUnread({ flags }: { readonly flags: readonly string[] }): boolean {
  return !hasFlag(flags, '\\seen')
}

export function isStarred({ flags }: { readonly flags: readonly string[] }): boolean {
  return hasFlag(flags, '\\flagged')
}

function hasFlag(flags: readonly string[], wanted: string): boolean {
  return flags.some((flag) => flag.toLowerCase() === wanted)
}

function shown(email: FoundMessage): Record<string, unknown> {
  const { from, subject, date, snippet, ref } = email
  const state = { unread: isUnread(email), starred: isStarred(email) }
  return dropUndefined({ id: nameOf(email), folder: ref.mailbox, from, subject, date, ...state, snippet })
}
