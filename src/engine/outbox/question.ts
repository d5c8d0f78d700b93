/**
 * What whoever sits at the agent's program reads of a letter.
 *
 * INVARIANT: the same letter gives the same text, and no other does: an answer is bound to it. Two may look alike and differ in
 * what a file holds.
 */
import type { Question } from '../../core/call/question.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import { presentEntry } from '../../core/outbox/present.ts'

export function questionOf(entry: OutboxEntry, isEnough: boolean): Question {
  const how = isEnough
    ? `Accept to send it exactly as it stands here. Its ID is ${entry.id}.`
    : `It is not sent by an answer here: approve it with "postern approve ${entry.id}", or in the vault.`
  return { title: 'A letter waits to be sent', text: `${presentEntry(entry)}\n\n${how}`, isNotice: !isEnough }
}
