/**
 * What the person at the agent's program reads of an outgoing message.
 *
 * INVARIANT: the same message gives the same text, and no other does: an answer is bound to it. Two may look alike and differ in
 * what a file holds. What recipients will not see is listed first, so that accepting acknowledges it.
 */
import type { Question } from '../../core/call/question.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import type { HtmlReview } from '../../core/outbox/html-review.ts'
import { presentEntry } from '../../core/outbox/present.ts'

export function questionOf(entry: OutboxEntry, isEnough: boolean, html?: HtmlReview): Question {
  const how = isEnough
    ? `Accept to send all of it, as it is shown here. Its ID is ${entry.id}.`
    : `It is not sent by an answer here: approve it with "postern approve ${entry.id}", or in the vault.`
  return { title: 'A message waits for approval', text: `${presentEntry(entry, html)}\n\n${how}`, isNotice: !isEnough }
}
