/**
 * A make-believe mailbox: Maya Lindqvist, architect in Gothenburg, and everybody who writes to her.
 *
 * INVARIANT: the same `now` gives the same bytes, and everything in it lies before `now`.
 */
import { arrivals } from './arrival.ts'
import { composeLetter, type Thread } from './compose.ts'
import type { DemoMessage, Letter } from './letter.ts'
import { atlas } from './letters/atlas.ts'
import { family } from './letters/family.ts'
import { HOSTILE } from './letters/hostile.ts'
import { newsletters } from './letters/newsletters.ts'
import { listAndJunk } from './letters/paper-maps.ts'
import { receipts } from './letters/receipts.ts'
import { travel } from './letters/travel.ts'
import { WORLD } from './letters/world.ts'
import { messageIdOf } from './message-id.ts'
import { MAYA } from './people.ts'

const ROLES: Readonly<Record<string, string>> = {
  Sent: 'sent',
  Drafts: 'drafts',
  Spam: 'junk',
  Trash: 'trash',
  Archive: 'archive',
}

/** About two hundred messages, oldest first. `now` is in milliseconds since 1970. */
export function* demoMessages(now: number): Generator<DemoMessage> {
  const letters = [
    ...atlas(now),
    ...family(now),
    ...WORLD,
    ...receipts(now),
    ...newsletters(),
    ...travel(now),
    ...listAndJunk(),
    ...HOSTILE,
  ]
  const byId = new Map(letters.map((letter) => [letter.id, letter]))
  const answered = new Set(
    letters.filter(({ from, mailbox }) => from === MAYA && mailbox === 'Sent').map(({ answers }) => answers),
  )
  const times = arrivals(letters, now)
  const receivedOf = ({ id }: Letter): number => times.get(id) ?? 0
  for (const letter of letters.sort((a, b) => receivedOf(a) - receivedOf(b))) {
    const received = receivedOf(letter)
    const role = ROLES[letter.mailbox]
    yield {
      mailbox: letter.mailbox,
      ...(role === undefined ? {} : { role }),
      bytes: composeLetter(letter, threadOf(letter, byId), received),
      flags: flagsOf(letter, answered.has(letter.id)),
      received,
    }
  }
}

function threadOf(letter: Letter, byId: ReadonlyMap<string, Letter>): Thread {
  const chain: string[] = []
  for (let id = letter.answers; id !== undefined; ) {
    const earlier = byId.get(id)
    if (earlier === undefined) throw new Error(`a demo letter answers ${id}, which is not there`)
    chain.unshift(messageIdOf(earlier))
    id = earlier.answers
  }
  return { messageId: messageIdOf(letter), references: chain }
}

function flagsOf({ mailbox, unread = false, flags = [] }: Letter, isAnswered: boolean): string[] {
  return [
    ...(unread ? [] : ['\\Seen']),
    ...(mailbox === 'Drafts' ? ['\\Draft'] : []),
    ...(isAnswered ? ['\\Answered'] : []),
    ...flags,
  ]
}
