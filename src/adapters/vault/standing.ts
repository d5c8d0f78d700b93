/**
 * What a file says to the person who reads it: what may be done with the letter, or what has become of it.
 *
 * INVARIANT: only words of ours are replaced, and only where they begin the text; whatever else stands in a file stays.
 */
import type { EntryKind } from '../../core/outbox/entry.ts'

const WORDS: Readonly<Record<Exclude<EntryKind, 'needs_operator'>, string>> = {
  waiting: [
    'This letter waits for you. To send it, move this file to `Approved/`; to refuse it, move it to `Rejected/`.',
    'What you change here does not change the letter.',
  ].join('\n'),
  approved: 'This letter is approved. It leaves when the agent asks for it again.',
  claimed: 'This letter is approved and on its way.',
  sent: 'This letter was sent. There is nothing left to do: moving this file does not send it again.',
  failed: 'This letter was not sent, and will not be. The agent may ask anew.',
  rejected: 'This letter was refused. It was not sent, and will not be.',
  expired: 'This letter waited too long. It was not sent, and will not be; the agent may ask anew.',
}

export function standingWords(kind: EntryKind, id: string): string {
  return kind === 'needs_operator' ? howToSettle(id) : WORDS[kind]
}

/** The text behind the front matter with the words for this state in the place of those for another. */
export function withStanding(rest: string, kind: EntryKind, id: string): string {
  const earlier = [...Object.values(WORDS), howToSettle(id), tooLong(id)].find((words) =>
    rest.startsWith(`\n${words}\n`),
  )
  return earlier === undefined ? rest : `\n${standingWords(kind, id)}${rest.slice(earlier.length + 1)}`
}

/** Of a message that waits, where its file has no room for all of it. */
export function tooLong(id: string): string {
  return [
    'This message is too long to be shown here in full, so moving this file does not approve it.',
    `See all of it, and approve it, with: postern approve ${id}, or in the console. To refuse it, move this file to \`Rejected/\`.`,
  ].join('\n')
}

function howToSettle(id: string): string {
  return [
    'Nobody knows whether this letter was sent: the answer was lost. Look among what was sent, or ask whom it is for;',
    `then say so with: postern outbox ${id} --sent, or --not-sent`,
  ].join('\n')
}
