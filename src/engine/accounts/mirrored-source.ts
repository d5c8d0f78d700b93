/**
 * A mail source some of whose folders are kept on this machine: what is kept is read from there, all else from the server.
 *
 * INVARIANT: before a folder is searched it is as the server has it at that moment, so that an answer is the same as the
 * server's own. What follows a search by uid is read from where it was made: what is kept of a folder may be complete, and
 * know nothing of what a server has just found.
 */
import { Failure } from '../../core/failure.ts'
import type { Mailbox } from '../../core/message.ts'
import { MIRRORED_FIELDS } from '../../core/mirror/state.ts'
import type { MailboxAt, MailSource } from '../../ports/mail-source.ts'
import type { Mirror } from './accounts.ts'

const KEPT = new Set<string>(MIRRORED_FIELDS.map((field) => field.toLowerCase()))

export function mirroredSource(live: MailSource, mirror: Mirror): MailSource {
  const isKept = async ({ mailbox, uidvalidity, kept }: MailboxAt): Promise<boolean> => {
    if (kept !== true) return false
    const folder = await mirror.store.folder(mailbox).catch(unlessUnusable)
    return folder !== undefined && folder.filledDownTo <= 1 && folder.state.uidvalidity === uidvalidity
  }
  // Each method is called on the live source itself: adapters may keep state behind `this`.
  const bound = Object.fromEntries(
    METHODS.map((name) => [name, (...rest: unknown[]) => (live[name] as (...all: unknown[]) => unknown)(...rest)]),
  ) as unknown as MailSource
  /** As they were known last, where the server cannot be reached. */
  const listed = async (signal: AbortSignal): Promise<readonly Mailbox[]> => {
    try {
      return await live.mailboxes(signal)
    } catch (error) {
      const noted = isOutOfReach(error) && !signal.aborted ? await mirror.store.mailboxes() : []
      if (noted.length === 0) throw error
      return noted.map((mailbox) => ({ ...mailbox, remembered: true as const }))
    }
  }
  return {
    ...bound,
    mailboxes: listed,
    async delimiter(signal) {
      try {
        return await live.delimiter(signal)
      } catch (error) {
        const [first] = isOutOfReach(error) && !signal.aborted ? await mirror.store.mailboxes() : []
        if (first === undefined) throw error
        return first.delimiter
      }
    },
    async find(mailbox, search, signal) {
      // Only a server knows what it takes for text, and only it is asked by its own keys.
      const elsewhere = search.atServer === true || search.criteria.text !== undefined || search.key !== undefined
      const fresh = elsewhere ? undefined : await mirror.fresh([mailbox], signal)
      const folder = fresh?.get(mailbox)
      const found = folder && (await unlessRewritten(mirror.store.find(mailbox, search)))
      if (folder === undefined || found === undefined) return live.find(mailbox, search, signal)
      return { ...found, kept: true, asOf: folder.asOf }
    },
    async traits(at, uids, wanted, signal) {
      const known = wanted.fields.every((field) => KEPT.has(field.toLowerCase())) && (await isKept(at))
      const kept = known ? await unlessRewritten(mirror.store.traits(at, uids, wanted.fields)) : undefined
      return kept ?? live.traits(at, uids, wanted, signal)
    },
    async summaries(at, uids, bodyStartBytes, signal) {
      const known = bodyStartBytes === 0 && (await isKept(at))
      const kept = known ? await unlessRewritten(mirror.store.summaries(at, uids)) : undefined
      return kept ?? live.summaries(at, uids, bodyStartBytes, signal)
    },
  }
}

/** Of a mirror that cannot be used for the moment nothing is read. */
function unlessUnusable(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
}

/**
 * A folder may be written anew, and a mirror become unusable, between the look at it and the answer: then there is none, and the
 * server is asked.
 */
export async function unlessRewritten<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Failure && (error.code === 'conflict' || error.code === 'not_found')) return undefined
    if (error instanceof Failure && error.code === 'unavailable' && error.stage === 'mirror') return undefined
    throw error
  }
}

/** Whether a failure says no more than that nobody could be asked. */
export function isOutOfReach(error: unknown): error is Failure {
  return error instanceof Failure && (error.code === 'unavailable' || error.code === 'timeout')
}

const METHODS = [
  'probe',
  'counts',
  'open',
  'parts',
  'raw',
  'abilities',
  'changeFlags',
  'flags',
  'copy',
  'move',
  'expunge',
  'append',
  'fence',
  'rawMany',
  'appendEach',
  'removeMany',
  'close',
] as const satisfies readonly (keyof MailSource)[]
