/**
 * Messages whose structure is too long to be read: a few bytes of mail can make a server tell of it in megabytes.
 *
 * INVARIANT: such a message spoils nothing for the others. It is found by looking at fewer and fewer, in a bounded number of
 * attempts, and remembered; its structure is given as unknown. Where attempts run out, so are those of all that are left.
 */
import { Failure } from '../../../core/failure.ts'
import type { Traits } from '../../../core/message.ts'
import { ANY_UIDVALIDITY } from '../../../core/message-id.ts'
import type { MailboxAt, TraitsWanted } from '../../../ports/mail-source.ts'
import { Overlong } from '../failures.ts'

/** Each costs a connection. */
const MOST_FAILURES = 24
const MOST_REMEMBERED = 10_000

/** Looks at some messages. Those read before it fails are put into `salvaged`. */
export type Look<W, T> = (uids: readonly number[], wanted: W, salvaged: Map<number, T>) => Promise<readonly T[]>

interface Seen {
  readonly uid: number
}

export class LongStructures {
  readonly #known = new Map<string, Set<number>>()
  #count = 0

  async traits(
    at: MailboxAt,
    uids: readonly number[],
    wanted: TraitsWanted,
    look: Look<TraitsWanted, Traits>,
  ): Promise<readonly Traits[]> {
    if (!wanted.structure || uids.length === 0) return look(uids, wanted, new Map())
    return this.read(at, uids, (some, structure, salvaged) => look(some, { ...wanted, structure }, salvaged))
  }

  /** Looks with the structure wanted, and without it where it is too long. */
  async read<T extends Seen>(at: MailboxAt, uids: readonly number[], look: Look<boolean, T>): Promise<readonly T[]> {
    const found = new Map<number, T>()
    const long = this.#at(at)
    const bare = uids.filter((uid) => long.has(uid))
    const usual = bare.length === 0 ? uids : uids.filter((uid) => !long.has(uid))
    const left = await this.#inParts(at, usual, found, (some) => look(some, true, found))
    const without = [...bare, ...left]
    const others = without.length === 0 ? [] : await look(without, false, new Map())
    for (const other of others) found.set(other.uid, other)
    return uids.flatMap((uid) => found.get(uid) ?? [])
  }

  /** Looks at messages that nobody has named yet; otherwise where one is known to be such, or turns out to be. */
  async unlessKnown<T>(at: MailboxAt, look: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (this.#at(at).size > 0) return otherwise()
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof Overlong)) throw error
      return otherwise()
    }
  }

  /** Those whose structure could not be read. */
  async #inParts<T extends Seen>(
    at: MailboxAt,
    uids: readonly number[],
    found: Map<number, T>,
    look: (uids: readonly number[]) => Promise<readonly T[]>,
  ): Promise<readonly number[]> {
    const unread: number[] = []
    const parts = uids.length === 0 ? [] : [uids]
    let failures = 0
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      try {
        if (failures >= MOST_FAILURES) unread.push(...part)
        else for (const one of await look(part)) found.set(one.uid, one)
      } catch (error) {
        if (!(error instanceof Overlong)) throw error
        failures += 1
        const rest = part.filter((uid) => !found.has(uid))
        if (rest.length > 1) parts.unshift(...divided(rest))
        else {
          this.#remember(at, rest)
          unread.push(...rest)
        }
      }
    }
    return unread
  }

  #at({ mailbox, uidvalidity }: MailboxAt): ReadonlySet<number> {
    return this.#known.get(`${uidvalidity} ${mailbox}`) ?? new Set()
  }

  #remember(at: MailboxAt, uids: readonly number[]): void {
    if (at.uidvalidity === ANY_UIDVALIDITY) return
    if (this.#count >= MOST_REMEMBERED) this.#known.clear()
    this.#count = this.#known.size === 0 ? uids.length : this.#count + uids.length
    this.#known.set(`${at.uidvalidity} ${at.mailbox}`, new Set([...this.#at(at), ...uids]))
  }
}

/** Servers answer in ascending order, most of them: so the first that is missing is the one to suspect. */
function divided(uids: readonly number[]): (readonly number[])[] {
  const [first = 0, ...others] = [...new Set(uids)].sort((a, b) => a - b)
  const half = Math.ceil(others.length / 2)
  return [[first], others.slice(0, half), others.slice(half)].filter((part) => part.length > 0)
}

/** Of the one message that was asked for, the structure is too long. */
export function tooLong(error: unknown): unknown {
  if (!(error instanceof Overlong)) return error
  const message = 'this message is put together in a way that takes too much room to read; other mail is not affected'
  return new Failure('too_large', message, { cause: error, stage: 'fetch' })
}
