/** A message as a listing shows it: decoded, one line a field, and a snippet where one was asked for. */
import type { Readable } from '../../core/content.ts'
import { Failure } from '../../core/failure.ts'
import type { Summary } from '../../core/message.ts'
import { chooseBodies } from '../../core/mime/bodies.ts'
import type { Part } from '../../core/mime/part.ts'
import { type LocatedPart, parseStructure } from '../../core/mime/structure.ts'
import { atLeast, type Level } from '../../core/policy/level.ts'
import type { ListedMessage } from '../../core/results.ts'
import { cut } from '../../core/text/cut.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { Account } from '../accounts/accounts.ts'
import { readBodyText } from '../sync/read-texts.ts'
import { joinedTexts, shownBody } from '../sync/visible-body.ts'
import { encodedText } from './encoded-text.ts'
import { dateOf, peopleIn, subjectOf } from './message-header.ts'
import { messageStart } from './message-start.ts'
import type { Workshop } from './workshop.ts'

/** Enough of a body to reach its first readable words past style sheets and boundaries. */
export const BODY_START_BYTES = 16_384

export async function listed(
  account: Account,
  at: MailboxAt,
  row: Summary,
  level: Level,
  snippetChars: number | undefined,
  workshop: Workshop,
): Promise<ListedMessage> {
  if (atLeast(level, 'ENVELOPE')) workshop.reading.message(account, row.header)
  const snippetWanted = snippetChars !== undefined && atLeast(level, 'BODY')
  return {
    level,
    uid: row.uid,
    date: dateOf(row.header, row.received),
    size: row.size,
    flags: row.flags,
    from: peopleIn(row.header, 'from'),
    subject: subjectOf(row.header),
    snippet: snippetWanted ? await snippet(account, at, row, snippetChars, workshop) : undefined,
  }
}

/** The beginning of the readable body, whitespace folded. A body that cannot be read has none: the page goes on. */
async function snippet(
  account: Account,
  at: MailboxAt,
  row: Summary,
  maxChars: number,
  { content, signal }: Workshop,
): Promise<string | undefined> {
  if (row.bodyStart === undefined) return undefined
  const bytes = messageStart(row.header, row.bodyStart)
  const whole = row.bodyStart.length < BODY_START_BYTES
  try {
    const { root } = parseStructure(bytes)
    // Folding whitespace shortens: read some more than is shown.
    const read = (part: LocatedPart): Promise<Readable> =>
      content.text(encodedText(part, bytes.subarray(part.start, part.end), whole), maxChars * 4, signal)
    const readAll = async (parts: readonly LocatedPart[]): Promise<Readable | undefined> =>
      joinedTexts(await Promise.all(parts.map(read)))
    for (const { plain, html } of chooseBodies(root)) {
      // The page that people see instead of this text may come after what was fetched.
      if (html.length === 0 && !whole && hasVersions(root)) break
      const shown = shownBody(await readAll(plain), await readAll(html))?.text ?? ''
      if (shown.trim() !== '') return folded(shown, maxChars)
    }
    // Some pages begin with a picture or a style sheet that is longer than what was fetched.
    return whole
      ? undefined
      : folded((await readBodyText(account, { ...at, uid: row.uid }, { content, signal })).text, maxChars)
  } catch (error) {
    if (error instanceof Failure && !signal.aborted) return undefined
    throw error
  }
}

function hasVersions({ type, children }: Part): boolean {
  return type === 'multipart/alternative' || children.some(hasVersions)
}

function folded(text: string, maxChars: number): string | undefined {
  return cut(text.replace(/\s+/gu, ' ').trim(), maxChars).text || undefined
}
