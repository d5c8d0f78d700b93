/**
 * Somebody else at both mailboxes, on connections of their own, who only looks.
 *
 * INVARIANT: the source is read before the destination: a message on its way is never seen to be in neither.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { FetchMessageObject } from 'imapflow'
import { otherClient } from '../dovecot/other-client.ts'
import { hashOf, type Sighting } from './mail.ts'
import { FROM, type MailboxOf, passwordOf, TO } from './mailboxes.ts'

/** Leaves the processors to those who are watched. */
const PAUSE_MS = 10

export interface Mailboxes {
  readonly source: readonly Sighting[]
  readonly destination: readonly Sighting[]
}

export interface Onlooker {
  look(): Promise<Mailboxes>
  /** Looks again and again until it is told to stop; returns how often, and what was missing when. */
  watch(expected: readonly Sighting[]): Watch
  close(): Promise<void>
}

export interface Watch {
  stop(): Promise<{ readonly looks: number; readonly missing: readonly string[] }>
}

export async function onlookerAt(port: number): Promise<Onlooker> {
  const [source, destination] = [await reader(port, FROM), await reader(port, TO)]
  const look = async (): Promise<Mailboxes> => {
    const first = await source.read()
    return { source: first, destination: await destination.read() }
  }
  return {
    look,
    watch: (expected) => {
      let over = false
      const watching = (async () => {
        const missing = new Set<string>()
        let looks = 0
        do {
          for (const hash of lost(expected, await look())) missing.add(hash)
          looks += 1
          await delay(PAUSE_MS)
        } while (!over)
        return { looks, missing: [...missing] }
      })()
      // Whoever gives up before the end has its own reason to tell.
      watching.catch(() => undefined)
      return {
        stop: () => {
          over = true
          return watching
        },
      }
    },
    close: async () => {
      await Promise.allSettled([source.close(), destination.close()])
    },
  }
}

/** Of those that are the same byte for byte, as many must be there as there were. */
function lost(expected: readonly Sighting[], { source, destination }: Mailboxes): readonly string[] {
  const there = Map.groupBy([...source, ...destination], ({ hash }) => hash)
  return [...Map.groupBy(expected, ({ hash }) => hash)]
    .filter(([hash, wanted]) => (there.get(hash)?.length ?? 0) < wanted.length)
    .map(([hash]) => hash)
}

async function reader(port: number, { user, mailbox }: MailboxOf) {
  const { imap, close } = await otherClient(port, user, passwordOf(user))
  return {
    close,
    async read(): Promise<readonly Sighting[]> {
      const { exists } = await imap.mailboxOpen(mailbox, { readOnly: true })
      if (exists === 0) return []
      const all = await imap.fetchAll('1:*', { source: true, flags: true, internalDate: true })
      return all.flatMap(sighted)
    },
  }
}

/** One that is expunged while it is read has no content any more. */
function sighted({ source, flags = new Set(), internalDate = new Date(0) }: FetchMessageObject): readonly Sighting[] {
  if (!(source instanceof Uint8Array)) return []
  const own = [...flags].filter((flag) => flag !== '\\Recent').toSorted()
  return [{ hash: hashOf(source), flags: own, received: Math.floor(new Date(internalDate).getTime() / 1000) }]
}
