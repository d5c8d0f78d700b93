/**
 * Search in one mailbox, newest first, with the meaning of IMAP SEARCH.
 *
 * INVARIANT: the event loop waits for no batch longer than a few milliseconds' work, however many messages there are;
 * messages that arrive while a search runs are not part of it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Criteria, Position } from '../../core/criteria.ts'
import { Failure } from '../../core/failure.ts'
import type { Found, Search } from '../../ports/mail-source.ts'
import type { LocalDatabase, Value } from './database.ts'
import { throwIfAborted } from './failures.ts'
import { fold } from './fold.ts'
import type { MailboxRow } from './mailboxes.ts'

/** Beyond this many matches only their number is given. */
const MAX_MATCHES = 20_000
const DAY_SECONDS = 86_400
/** What a batch should take, in milliseconds; its size follows. */
const BATCH_MS = 10
const FIRST_BATCH = 200
const LARGEST_BATCH = 20_000
const SMALLEST_BATCH = 20

interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

export async function find(
  db: LocalDatabase,
  mailbox: MailboxRow,
  search: Search,
  signal: AbortSignal,
): Promise<Found> {
  const page = new Page(search)
  for await (const match of matches(db, mailbox, search, signal)) page.take(match)
  return { uidvalidity: mailbox.uidvalidity, uidNext: mailbox.uidnext, ...page.result() }
}

/** Counts every match and keeps those that the caller wants to see. */
class Page {
  readonly #search: Search
  readonly #uids: number[] = []
  #total = 0
  #more = false

  constructor(search: Search) {
    this.#search = search
  }

  take(match: Position): void {
    this.#total += 1
    const { after, skip, take } = this.#search
    if (after !== undefined && !isAfter(match, after)) return
    if (skip?.has(match.uid)) return
    if (this.#uids.length < take) this.#uids.push(match.uid)
    else this.#more = true
  }

  result(): Pick<Found, 'total' | 'uids' | 'more'> {
    if (this.#total > MAX_MATCHES) return { total: this.#total, uids: [], more: true }
    return { total: this.#total, uids: this.#uids, more: this.#more }
  }
}

function isAfter(match: Position, place: Position): boolean {
  return match.received < place.received || (match.received === place.received && match.uid < place.uid)
}

async function* matches(
  db: LocalDatabase,
  mailbox: MailboxRow,
  search: Search,
  signal: AbortSignal,
): AsyncGenerator<Position> {
  const exact = exactCondition(mailbox, search)
  const words = wordsCondition(search.criteria)
  let size = FIRST_BATCH
  let last: Position = { received: Number.MAX_SAFE_INTEGER, uid: Number.MAX_SAFE_INTEGER }
  for (;;) {
    throwIfAborted(signal)
    const started = performance.now()
    const batch = readBatch(db, exact, words, last, size)
    yield* batch.filter((row) => row.matches === 1)
    const end = batch.at(-1)
    if (end === undefined || batch.length < size) return
    last = end
    size = nextSize(size, performance.now() - started)
    await nextTurn()
  }
}

interface ScannedRow extends Position {
  readonly matches: number
}

function readBatch(
  db: LocalDatabase,
  exact: Condition,
  words: Condition | undefined,
  last: Position,
  size: number,
): ScannedRow[] {
  const page = `${exact.sql} and (m.received, m.uid) < (?, ?) order by m.received desc, m.uid desc limit ?`
  const values = [...exact.values, last.received, last.uid, size]
  if (words === undefined)
    return db.all(`select m.received, m.uid, 1 as matches from message m where ${page}`, ...values)
  return db.all(
    `select m.received, m.uid, ${words.sql} as matches from message m join content c on c.id = m.content where ${page}`,
    ...words.values,
    ...values,
  )
}

function nextSize(size: number, took: number): number {
  const wanted = took <= 0.1 ? size * 4 : Math.min(size * 4, Math.floor((size * BATCH_MS) / took))
  return Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, wanted))
}

/** What the index alone answers. */
function exactCondition(mailbox: MailboxRow, { criteria, belowUid }: Search): Condition {
  const terms = ['m.mailbox = ?', 'm.uid < ?']
  const values = [mailbox.id, Math.min(belowUid ?? mailbox.uidnext, mailbox.uidnext)]
  if (criteria.unread) terms.push('m.seen = 0')
  if (criteria.since !== undefined) {
    terms.push('m.received >= ?')
    values.push(daySeconds(criteria.since))
  }
  if (criteria.until !== undefined) {
    terms.push('m.received < ?')
    values.push(daySeconds(criteria.until) + DAY_SECONDS)
  }
  return { sql: terms.join(' and '), values }
}

function wordsCondition({ text, from, to, subject }: Criteria): Condition | undefined {
  const columns = { search_text: text, from_text: from, to_text: to, subject_text: subject }
  const given = Object.entries(columns).flatMap(([column, words]) =>
    words === undefined ? [] : [{ column, words: foldTerm(words) }],
  )
  if (given.length === 0) return undefined
  return {
    sql: `(${given.map(({ column }) => `instr(c.${column}, ?) > 0`).join(' and ')})`,
    values: given.map(({ words }) => words),
  }
}

function foldTerm(words: string): string {
  if (/\p{Cc}/u.test(words))
    throw new Failure('invalid_input', 'a search term holds no line breaks or control characters')
  return fold(words)
}

function daySeconds(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}
