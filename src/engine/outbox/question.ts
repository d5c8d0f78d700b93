/** What whoever sits at the agent's program reads of a letter. The same letter gives the same text. */
import type { Question } from '../../core/call/question.ts'
import type { OutboxEntry } from '../../core/outbox/entry.ts'
import { presentEntry } from '../../core/outbox/present.ts'

export function questionOf(entry: OutboxEntry, isEnough: boolean): Question {
  const how = isEnough
    ? 'Accept to send it exactly as it stands here.'
    : `It is not sent by an answer here: approve it with "postern approve ${entry.id}", or in the vault.`
  return { title: 'A letter waits to be sent', text: `${presentEntry(entry)}\n\n${how}`, isNotice: !isEnough }
}
