/**
 * The token between two pages of a search.
 *
 * INVARIANT: a cursor names its whole page (the uids), so the same cursor always gives the same page, in any process;
 * it is bound to account, mailbox and uidvalidity, dies after ten minutes, and is at most 1 kB long.
 */
import { type AskedCriteria, canonicalCriteria, type Position } from '../../core/criteria.ts'
import { Failure } from '../../core/failure.ts'
import type { Seal } from '../../ports/seal.ts'

export interface Cursor {
  /** Whose, and which account and mailbox, as a digest: names may be long, and every call tells them anyway. */
  readonly place: string
  readonly uidvalidity: number
  /** Absent where the criteria were too long to carry: `digest` then says which ones they were. */
  readonly criteria: AskedCriteria | undefined
  readonly digest: string
  /** UIDNEXT when the first page was made: what arrived since is not part of the search. */
  readonly belowUid: number
  /** Where the page before ended; absent when nothing of it was left. */
  readonly after: Position | undefined
  readonly uids: readonly number[]
  /** Milliseconds since 1970: when the first page was made, and this cursor. */
  readonly began: number
  readonly made: number
}

const LIFETIME_MS = 600_000
const MAX_LENGTH = 1024

export interface SealedCursor {
  readonly token: string
  readonly carriesCriteria: boolean
}

export async function sealCursor(seal: Seal, cursor: Cursor): Promise<SealedCursor> {
  const token = await seal.seal(write(cursor))
  if (token.length <= MAX_LENGTH) return { token, carriesCriteria: true }
  return { token: await seal.seal(write({ ...cursor, criteria: undefined })), carriesCriteria: false }
}

export async function openCursor(seal: Seal, token: string, now: number): Promise<Cursor> {
  const value = await openToken(seal, token, now, 'search')
  if (Array.isArray(value)) return read(value)
  throw new Failure('invalid_input', 'cursor belongs to another tool; search again without it')
}

/** What was sealed: a list for a search, whose last item says when it was made, else an object with `made`. */
export async function openToken(seal: Seal, token: string, now: number, asked: 'search' | 'list'): Promise<object> {
  const text = await seal.open(token).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== 'invalid_input') throw error
    throw new Failure('invalid_input', `cursor was not made here or was changed; ${asked} again without it`, {
      cause: error,
    })
  })
  const value = JSON.parse(text)
  if (Math.abs(now - (Array.isArray(value) ? value.at(-1) : value.made)) <= LIFETIME_MS) return value
  throw new Failure('invalid_input', `cursor is older than ten minutes; ${asked} again without it`)
}

/** The criteria to go on with: the cursor's own, or the same ones sent again. */
export function criteriaFor(seal: Seal, cursor: Cursor, asked: AskedCriteria): AskedCriteria {
  const given = Object.keys(asked).length > 0
  if (given && digestCriteria(seal, asked) !== cursor.digest) {
    throw new Failure('invalid_input', 'cursor was made with other search criteria; send it alone or search anew')
  }
  const criteria = given ? asked : cursor.criteria
  if (criteria !== undefined) return criteria
  throw new Failure('invalid_input', 'cursor cannot carry criteria this long; send the same criteria again beside it')
}

export function digestPlace(seal: Seal, callerId: string, account: string, mailbox: string): string {
  return seal.digest(JSON.stringify([callerId, account, mailbox])).slice(0, 32)
}

export function digestCriteria(seal: Seal, criteria: AskedCriteria): string {
  return seal.digest(canonicalCriteria(criteria)).slice(0, 32)
}

function write(cursor: Cursor): string {
  const { place, uidvalidity, criteria, digest, belowUid, after, uids, began, made } = cursor
  const carried = criteria ?? null
  const position = after === undefined ? null : [after.received, after.uid]
  return JSON.stringify([place, uidvalidity, carried, digest, belowUid, position, packUids(uids), began, made])
}

/** What we sealed ourselves needs no checking: a token that opens was written by `write`. */
// biome-ignore lint/suspicious/noExplicitAny: written by `write`, in this order.
function read([place, uidvalidity, criteria, digest, belowUid, position, uids, began, made]: any[]): Cursor {
  return {
    place,
    uidvalidity,
    criteria: criteria ?? undefined,
    digest,
    belowUid,
    after: position === null ? undefined : { received: position[0], uid: position[1] },
    uids: unpackUids(uids),
    began,
    made,
  }
}

/** Neighbouring uids are close to each other: differences in base 36 keep fifty of them short. */
function packUids(uids: readonly number[]): string {
  return uids.map((uid, i) => (uid - (uids[i - 1] ?? 0)).toString(36)).join(' ')
}

function unpackUids(packed: string): number[] {
  let last = 0
  return packed === '' ? [] : packed.split(' ').map((difference) => (last += Number.parseInt(difference, 36)))
}
