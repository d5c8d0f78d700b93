/**
 * Loads the demo mailbox, the .eml files of demo/: Maya Lindqvist, architect in Gothenburg, and everybody who writes to her.
 * No person in it exists, and every domain is reserved for examples (RFC 2606).
 *
 * `index.json` names the files, oldest message first, with the flags of each, and the RFC 6154 role of a folder.
 *
 * INVARIANT: the same `now` gives the same bytes. Every message lies before `now`, the newest less than a day.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrivalOf, shiftDates } from '../engine/demo/shift-dates.ts'

/** The address of the account. */
export const DEMO_ADDRESS = 'maya@lindqvist.example'

const DAY_MS = 86_400_000

export interface DemoMessage {
  readonly mailbox: string
  readonly role?: string
  readonly bytes: Uint8Array
  readonly flags: readonly string[]
  /** Seconds since 1970. */
  readonly received: number
}

interface Index {
  readonly roles: Readonly<Record<string, string>>
  /** `"INBOX/01-island.eml": "Seen Answered"` */
  readonly flags: Readonly<Record<string, string>>
}

/** About two hundred messages, oldest first. `now` is in milliseconds since 1970. */
export function demoMessages(folder: string, now: number): DemoMessage[] {
  const { roles, flags }: Index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
  // Latin-1 keeps every byte of a message, whatever its charset.
  const files = Object.keys(flags).map((file) => ({ file, message: readFileSync(join(folder, file), 'latin1') }))
  const newest = Math.max(...files.map(({ message }) => arrivalOf(message)))
  const days = Math.ceil((now - newest) / DAY_MS) - 1
  return files.map(({ file, message }) => {
    const mailbox = file.slice(0, file.lastIndexOf('/'))
    const shifted = shiftDates(message, days)
    return {
      mailbox,
      ...(roles[mailbox] === undefined ? {} : { role: roles[mailbox] }),
      bytes: Buffer.from(shifted, 'latin1'),
      flags: (flags[file]?.match(/\w+/g) ?? []).map((flag) => `\\${flag}`),
      received: arrivalOf(shifted) / 1000,
    }
  })
}
