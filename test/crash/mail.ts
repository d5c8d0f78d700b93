/** The messages of a round: of several sizes, with flags and dates, and the last two of them the same byte for byte. */
import { createHash } from 'node:crypto'
import type { SeedMessage } from '../mail-source/messages.ts'

const SIZES = [40, 9_000, 300, 70_000]
const FLAGS = [['\\Seen', 'work'], ['\\Flagged'], [], ['\\Answered', '\\Draft', '$Later']]
const FIRST_RECEIVED = 1_600_000_000

export function messagesOf(round: number, count: number): readonly SeedMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    raw: letter(round, index > 0 && index === count - 1 ? index - 1 : index),
    flags: FLAGS[index % FLAGS.length] ?? [],
    received: FIRST_RECEIVED + round * 1000 + index,
  }))
}

function letter(round: number, index: number): string {
  const name = `${round}-${index}`
  const filling = `line of ${name}\r\n`.repeat(Math.ceil((SIZES[index % SIZES.length] ?? 0) / 16))
  return `From: a@x.example\r\nSubject: ${name}\r\nMessage-ID: <${name}@x.example>\r\n\r\n${filling}`
}

/** What a message is for somebody who looks at its mailbox. */
export interface Sighting {
  readonly hash: string
  readonly flags: readonly string[]
  /** In seconds since 1970. */
  readonly received: number
}

export function sightingOf({ raw, flags = [], received = 0 }: SeedMessage): Sighting {
  return { hash: hashOf(raw), flags: flags.toSorted(), received }
}

export function hashOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
