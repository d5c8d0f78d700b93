/**
 * Which conversation a message belongs to.
 *
 * INVARIANT: the same on every machine and at every time, from the header alone; all that answer to one message, by whichever
 * of its descendants, get the same id. Ids are letters and digits, whatever stands in the header.
 */
import { allFields, type HeaderField } from '../mime/header.ts'
import { hashOf } from './thread-hash.ts'

/** What no person wrote is not looked for beyond. */
const MOST_CHARACTERS = 65_536
const IN_BRACKETS = /<([^<>\s]{1,998})>/

/** Undefined where the header names no message. `serverThread` is the server's own name, where it knows threads. */
export function threadIdOf(header: readonly HeaderField[], serverThread?: string): string | undefined {
  if (serverThread !== undefined) return hashOf(`server ${serverThread}`)
  const first = firstId(header, 'references') ?? firstId(header, 'in-reply-to') ?? firstId(header, 'message-id')
  return first === undefined ? undefined : hashOf(`message ${first}`)
}

/** One that nothing is known of is a thread of its own. */
export function loneThreadId(mailbox: string, uidvalidity: number, uid: number): string {
  return hashOf(`alone ${uidvalidity} ${uid} ${mailbox}`)
}

function firstId(header: readonly HeaderField[], name: string): string | undefined {
  for (const value of allFields(header, name)) {
    const id = IN_BRACKETS.exec(value.slice(0, MOST_CHARACTERS))?.[1]
    if (id !== undefined) return id
  }
  return undefined
}
