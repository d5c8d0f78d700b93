/**
 * Letters in the database.
 *
 * INVARIANT: a state is only ever what the machine makes of the one before it. The message is kept while it may yet be sent or
 * a copy of it filed, and no longer.
 */
import type { EntryKind, OutboxEntry } from '../../core/outbox/entry.ts'
import { after, type EntryEvent, expiryOf, isOpen } from '../../core/outbox/machine.ts'
import type { PendingLimit } from '../../core/policy/sending.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import { ENTRY_COLUMNS, type EntryRow, type StateColumns, toEntry, toFields, toState } from './rows.ts'

/** A letter where it lies. */
export interface Kept {
  readonly number: number
  readonly entry: OutboxEntry
  /** Of the store that has claimed it. */
  readonly owner: string | undefined
}

export interface EntriesTable {
  find(id: string): Kept | undefined
  findOpen(digest: string): Kept | undefined
  /** The newest of this digest that ended since then in one of these ways. */
  findEnded(digest: string, kinds: readonly EntryKind[], since: number): OutboxEntry | undefined
  bytes(id: string): Uint8Array | undefined
  list(kinds: readonly EntryKind[] | undefined, most: number): readonly OutboxEntry[]
  claimed(): readonly Kept[]
  /** Those whose time is over; found without a lock on the file. */
  overdue(now: number): readonly Kept[]
  hasEnded(before: number): boolean
  /** What an account's letters take up that wait for somebody, or for their turn. */
  held(account: string, now: number): PendingLimit
  /** The same of a caller, without what was rejected and the versions that a person has made. */
  heldBy(caller: string, now: number): PendingLimit
  unsent(caller: string, account: string, now: number): readonly OutboxEntry[]
  /** These are called within a transaction. */
  insert(entry: OutboxEntry, bytes: Uint8Array, owner?: string): number
  step(kept: Kept, event: EntryEvent, owner?: string): OutboxEntry
  prune(before: number): void
  /** Returns the ids of those that were there. */
  forget(account: string): readonly string[]
}

export function entriesTableIn(db: DatabaseFile): EntriesTable {
  const sql = statementsIn(db)
  return {
    find: (id) => keptOf(sql.byId.get(id)),
    findOpen: (digest) => keptOf(sql.byDigest.get(digest)),
    findEnded: (digest, kinds, since) => {
      const row = sql.endedLike.get(since, digest, JSON.stringify(kinds))
      return row && toEntry(row)
    },
    bytes: (id) => sql.bytes.get(id)?.bytes,
    list(kinds, most) {
      const limit = Math.max(0, Math.trunc(most))
      const rows = kinds === undefined ? sql.newest.all(limit) : sql.newestOf.all(JSON.stringify(kinds), limit)
      return rows.map(toEntry)
    },
    claimed: () => sql.claimed.all().map(toKept),
    overdue: (now) =>
      sql.overdue
        .all(now)
        .map(toKept)
        .filter(({ entry }) => expiryOf(entry.state, entry.expires, now) !== undefined),
    hasEnded: (before) => sql.ended.get({ before }) !== undefined,
    held: (account, now) => sql.held.get(account, now) ?? NOTHING_HELD,
    heldBy: (caller, now) => sql.heldBy.get(caller, now) ?? NOTHING_HELD,
    unsent: (caller, account, now) => sql.unsent.all(caller, account, now).map(toEntry),
    insert(entry, message, owner) {
      const { id, digest, created, sending } = entry
      const { account, caller, version } = sending
      const own = {
        id,
        digest,
        created,
        account,
        caller,
        is_version: version === undefined ? 0 : 1,
        owner: owner ?? null,
      }
      const { lastInsertRowid } = sql.insertEntry.run({ ...own, ...toState(entry.state, entry.expires) })
      sql.insertLetter.run(lastInsertRowid, toFields(entry))
      sql.insertMessage.run(lastInsertRowid, message)
      return Number(lastInsertRowid)
    },
    step({ number, entry }, event, owner) {
      const state = after(entry.state, event)
      sql.update.run({ number, owner: owner ?? null, ...toState(state, entry.expires) })
      const isNeeded = isOpen(state) || (state.kind === 'sent' && !state.filed)
      if (!isNeeded) sql.drop.run(number)
      return { ...entry, state }
    },
    prune: (before) => void sql.prune.run({ before }),
    forget: (account) => sql.forget.all(account).map(({ id }) => id),
  }
}

/** Prepared once. */
function statementsIn(db: DatabaseFile) {
  const select = `select ${ENTRY_COLUMNS} from entry join letter using (number)`
  const byId = db.prepare<[string], EntryRow>(`${select} where id = ?`)
  const byDigest = db.prepare<[string], EntryRow>(
    `${select} where digest = ? and kind in ('waiting', 'approved', 'claimed', 'needs_operator', 'rejected')`,
  )
  // Only what is shown is read.
  const shown = (where: string): string =>
    `${select} where number in (select number from entry ${where} order by created desc, number desc limit ?)
     order by created desc, number desc`
  const newest = db.prepare<[number], EntryRow>(shown(''))
  const newestOf = db.prepare<[string, number], EntryRow>(shown('where kind in (select value from json_each(?))'))
  const claimed = db.prepare<[], EntryRow>(`${select} where kind = 'claimed' order by created, number`)
  const overdue = db.prepare<[number], EntryRow>(`${select} where over_at <= ? order by over_at, number`)
  const bytes = db.prepare<[string], { bytes: Uint8Array }>(
    'select bytes from message join entry using (number) where id = ?',
  )
  const sums =
    'select count(*) as messages, coalesce(sum(length(bytes)), 0) as bytes from entry join message using (number)'
  const held = db.prepare<[string, number], PendingLimit>(`${sums} where account = ? and over_at > ?`)
  const unsentOf = "kind in ('waiting', 'approved') and over_at > ?"
  const heldBy = db.prepare<[string, number], PendingLimit>(
    `${sums} where caller = ? and is_version = 0 and ${unsentOf}`,
  )
  const unsent = db.prepare<[string, string, number], EntryRow>(
    `${select} where caller = ? and account = ? and ${unsentOf} order by created desc, number desc`,
  )
  const endedLike = db.prepare<[number, string, string], EntryRow>(
    `${select} where ended_at > ? and digest = ? and kind in (select value from json_each(?))
     order by ended_at desc, number desc limit 1`,
  )
  const insertEntry = db.prepare<[NewColumns]>(
    `insert into entry (id, digest, account, caller, is_version, kind, state, created, over_at, ended_at, owner)
     values (@id, @digest, @account, @caller, @is_version, @kind, @state, @created, @over_at, @ended_at, @owner)`,
  )
  const insertLetter = db.prepare<[number | bigint, string]>('insert into letter (number, fields) values (?, ?)')
  const insertMessage = db.prepare<[number | bigint, Uint8Array]>('insert into message (number, bytes) values (?, ?)')
  const update = db.prepare<[StateColumns & { number: number; owner: string | null }]>(
    `update entry set kind = @kind, state = @state, over_at = @over_at, ended_at = @ended_at, owner = @owner
     where number = @number`,
  )
  const drop = db.prepare<[number]>('delete from message where number = ?')
  // Nobody may have come by to note that a letter expired.
  const old = 'ended_at < @before or over_at < @before'
  const ended = db.prepare<[{ before: number }]>(`select 1 from entry where ${old} limit 1`)
  const prune = db.prepare<[{ before: number }]>(`delete from entry where ${old}`)
  const forget = db.prepare<[string], { id: string }>(
    'delete from entry where account = ? and ended_at is not null returning id',
  )
  return {
    ...{ byId, byDigest, newest, newestOf, claimed, overdue, bytes, held, heldBy, unsent, endedLike },
    ...{ insertEntry, insertLetter, insertMessage, update, drop, ended, prune, forget },
  }
}

type NewColumns = StateColumns &
  Pick<OutboxEntry, 'id' | 'digest' | 'created'> & {
    readonly account: string
    readonly caller: string
    readonly owner: string | null
  }

const NOTHING_HELD: PendingLimit = { messages: 0, bytes: 0 }

function toKept(row: EntryRow): Kept {
  return { number: row.number, entry: toEntry(row), owner: row.owner ?? undefined }
}

function keptOf(row: EntryRow | undefined): Kept | undefined {
  return row && toKept(row)
}
