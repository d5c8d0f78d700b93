/**
 * Search in one mailbox, newest first, with the meaning of IMAP SEARCH.
 *
 * INVARIANT: the event loop waits for no batch longer than a few milliseconds' work, however many messages there are;
 * messages that arrive while a search runs are not part of it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Position } from '../../core/criteria.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { Found, Search } from '../../ports/mail-source.ts'
import { type Condition, exactCondition, scannedCondition } from './conditions.ts'
import { throwIfAborted } from './failures.ts'
import type { MailboxRow } from './mailboxes.ts'

/** Beyond this many matches only their number is given, where a search does not say how many. */
const MOST_MATCHES = 20_000
/** What a batch should take, in milliseconds; its size follows. */
const BATCH_MS = 10
const FIRST_BATCH = 200
const LARGEST_BATCH = 20_000
const SMALLEST_BATCH = 20

const NEWEST: Position = { received: Number.MAX_SAFE_INTEGER, uid: Number.MAX_SAFE_INTEGER }

type Matches = Pick<Found, 'total' | 'uids' | 'more'>

export async function find(db: DatabaseFile, mailbox: MailboxRow, search: Search, signal: AbortSignal): Promise<Found> {
  const exact = exactCondition(mailbox, search)
  const scanned = scannedCondition(search)
  const atOnce = scanned === undefined && search.take + (search.skip?.size ?? 0) < LARGEST_BATCH
  const matches = atOnce ? findExact(db, exact, search) : await findByScan(db, exact, scanned, search, signal)
  const shown = matches.total > (search.most ?? MOST_MATCHES) ? { ...matches, uids: [], more: true } : matches
  return { uidvalidity: mailbox.uidvalidity, uidNext: mailbox.uidnext, ...shown }
}

/** What the index alone can answer. */
function findExact(db: DatabaseFile, exact: Condition, search: Search): Matches {
  const { after = NEWEST, skip = new Set<number>(), take } = search
  return db.read(() => {
    const count = db.get<{ total: number }>(
      `select count(*) as total from message m where ${exact.sql}`,
      ...exact.values,
    )
    // Only a skipped uid can push a wanted one off the page, so this many rows always hold a page and what follows it.
    const rows = readBatch(db, exact, undefined, after, take + skip.size + 1).filter(({ uid }) => !skip.has(uid))
    return { total: count?.total ?? 0, uids: rows.slice(0, take).map(({ uid }) => uid), more: rows.length > take }
  })
}

/** What must be looked for in every message, and pages too long for one batch. */
async function findByScan(
  db: DatabaseFile,
  exact: Condition,
  scanned: Condition | undefined,
  { after, skip, take }: Search,
  signal: AbortSignal,
): Promise<Matches> {
  const uids: number[] = []
  let total = 0
  for await (const match of scan(db, exact, scanned, signal)) {
    total += 1
    const isWanted = (after === undefined || isAfter(match, after)) && !skip?.has(match.uid)
    if (isWanted && uids.length <= take) uids.push(match.uid)
  }
  return { total, uids: uids.slice(0, take), more: uids.length > take }
}

function isAfter(match: Position, place: Position): boolean {
  return match.received < place.received || (match.received === place.received && match.uid < place.uid)
}

async function* scan(
  db: DatabaseFile,
  exact: Condition,
  scanned: Condition | undefined,
  signal: AbortSignal,
): AsyncGenerator<Position> {
  let size = FIRST_BATCH
  let last = NEWEST
  for (;;) {
    throwIfAborted(signal)
    const started = performance.now()
    const batch = readBatch(db, exact, scanned, last, size)
    const took = performance.now() - started
    yield* batch.filter((row) => row.matches === 1)
    const end = batch.at(-1)
    if (end === undefined || batch.length < size) return
    last = end
    size = nextSize(size, took)
    await nextTurn()
  }
}

interface ScannedRow extends Position {
  readonly matches: number
}

function readBatch(
  db: DatabaseFile,
  exact: Condition,
  scanned: Condition | undefined,
  behind: Position,
  size: number,
): ScannedRow[] {
  const page = `${exact.sql} and (m.received, m.uid) < (?, ?) order by m.received desc, m.uid desc limit ?`
  const values = [...exact.values, behind.received, behind.uid, size]
  if (scanned === undefined) {
    return db.all(`select m.received, m.uid, 1 as matches from message m where ${page}`, ...values)
  }
  return db.all(
    `select m.received, m.uid, ${scanned.sql} as matches from message m join content c on c.id = m.content where ${page}`,
    ...scanned.values,
    ...values,
  )
}

function nextSize(size: number, took: number): number {
  const wanted = Math.min(size * 4, Math.floor((size * BATCH_MS) / Math.max(took, 0.1)))
  return Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, wanted))
}
