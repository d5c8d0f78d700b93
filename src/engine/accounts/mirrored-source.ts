/**
 * A mail source some of whose folders are kept on this machine: what is kept is read from there, all else from the server.
 *
 * INVARIANT: before a folder is searched it is as the server has it at that moment, so that an answer is the same as the
 * server's own. What follows a search by uid is read from where it was made: what is kept of a folder may be complete, and
 * know nothing of what a server has just found.
 */
import { Failure } from '../../core/failure.ts'
import type { Mailbox, Summary } from '../../core/message.ts'
import { MIRRORED_FIELDS } from '../../core/mirror/state.ts'
import type { MailboxAt, MailSource } from '../../ports/mail-source.ts'
import type { Mirror } from './accounts.ts'
import type { ServerPatience } from './server-patience.ts'

const KEPT = new Set<string>(MIRRORED_FIELDS.map((field) => field.toLowerCase()))

export function mirroredSource(
  live: MailSource,
  mirror: Pick<Mirror, 'fresh' | 'store'>,
  patience: Pick<ServerPatience, 'ask'>,
): MailSource {
  const isKept = async ({ mailbox, uidvalidity, kept }: MailboxAt): Promise<boolean> => {
    if (kept !== true) return false
    const folder = await mirror.store.folder(mailbox).catch(unlessUnusable)
    return folder !== undefined && folder.filledDownTo <= 1 && folder.state.uidvalidity === uidvalidity
  }
  // Each method is called on the live source itself: adapters may keep state behind `this`.
  const bound = Object.fromEntries(
    METHODS.map((name) => [name, (...rest: unknown[]) => (live[name] as (...all: unknown[]) => unknown)(...rest)]),
  ) as unknown as MailSource
  /** What the server says; what was known last, where it cannot be reached or does not answer soon. */
  const orKnown = async <T>(
    ask: (signal: AbortSignal) => Promise<T>,
    known: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T> => {
    try {
      return await patience.ask(ask, signal)
    } catch (error) {
      if (!isOutOfReach(error) || signal.aborted) throw error
      const last = await known()
      if (last !== undefined) return last
      // Nobody else could answer, so the server has all the time there is.
      if (error.code === 'timeout') return ask(signal)
      throw error
    }
  }
  const noted = async (): Promise<readonly Mailbox[] | undefined> => {
    const mailboxes = await unlessRewritten(mirror.store.mailboxes())
    return mailboxes?.length === 0 ? undefined : mailboxes
  }
  return {
    ...bound,
    mailboxes: (signal) =>
      orKnown<readonly Mailbox[]>(
        (stop) => live.mailboxes(stop),
        async () => (await noted())?.map((mailbox) => ({ ...mailbox, remembered: true as const })),
        signal,
      ),
    async delimiter(signal) {
      const last = async (): Promise<{ readonly is: string | undefined } | undefined> => {
        const [first] = (await noted()) ?? []
        return first && { is: first.delimiter }
      }
      return (await orKnown(async (stop) => ({ is: await live.delimiter(stop) }), last, signal)).is
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
      const ask = (stop: AbortSignal): ReturnType<MailSource['summaries']> =>
        live.summaries(at, uids, bodyStartBytes, stop)
      if (!(await isKept(at))) return ask(signal)
      const known = (): Promise<readonly Summary[] | undefined> => unlessRewritten(mirror.store.summaries(at, uids))
      // Without the beginnings of the bodies they are still worth having.
      return bodyStartBytes === 0 ? ((await known()) ?? ask(signal)) : orKnown(ask, known, signal)
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
