/** What an outgoing message holds, seen or not, for the person who approves it. */
import { Failure } from '../../core/failure.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import { type HtmlReview, unjudged } from '../../core/outbox/html-review.ts'
import { presentEntry } from '../../core/outbox/present.ts'
import { type OutgoingReview, reviewSending } from '../../core/outbox/unseen.ts'
import type { ContentReader } from '../../ports/content-reader.ts'
import type { OutboxParts } from './parts.ts'

/** HTML that cannot be read is shown as it is, and all of it counts as what recipients may not see. */
export function htmlReviewer(content: Pick<ContentReader, 'review'>): OutboxParts['review'] {
  return async (html, signal) => {
    try {
      return await content.review(html, signal)
    } catch {
      signal.throwIfAborted()
      return unjudged(html)
    }
  }
}

export function htmlCleaner(content: Pick<ContentReader, 'html'>): OutboxParts['safeHtml'] {
  return async (html, signal) => {
    const how = { type: 'text/html', charset: 'utf-8', encoding: '8bit', flowed: false, delSp: false } as const
    const part = { ...how, bytes: new TextEncoder().encode(html), complete: true }
    const { html: safe, truncated } = await content.html(part, MOST_CLEANED, signal)
    if (!truncated) return safe
    const what = 'the HTML version is too long or too contrived to take hidden content out of it; send it as plain text'
    throw new Failure('unreadable', what, { stage: 'outbox' })
  }
}

const MOST_CLEANED = 2_000_000

export async function htmlOf(
  { sending: { html } }: OutboxEntry,
  review: OutboxParts['review'],
  signal: AbortSignal,
): Promise<HtmlReview | undefined> {
  return html === undefined ? undefined : review(html, signal)
}

export async function reviewEntry(
  entry: OutboxEntry,
  review: OutboxParts['review'],
  signal: AbortSignal,
): Promise<OutgoingReview> {
  return reviewSending(entry.sending, await htmlOf(entry, review, signal))
}

/** As a file of the vault shows it. */
export function presenter(review: OutboxParts['review']): (entry: OutboxEntry) => Promise<string> {
  return async (entry) => presentEntry(entry, await htmlOf(entry, review, new AbortController().signal))
}
