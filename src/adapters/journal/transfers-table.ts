/**
 * Transfers and their events in the database.
 *
 * INVARIANT: an intent is written once and never changed, its operation above all. A step is taken down only for a transfer
 * that is ours; one that has become final is nobody's.
 */
import type { Destination } from '../../core/action.ts'
import { isFinal } from '../../core/transfer/machine.ts'
import type { Transfer } from '../../core/transfer/transfer.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { Recorded } from '../../ports/journal.ts'
import { begunRow, type EventRow, eventRow } from './event-rows.ts'
import { taken } from './failures.ts'
import type { Owner } from './owner.ts'
import { COLUMNS, type Row, STATE_COLUMNS, toRow, toTransfer } from './rows.ts'

export interface TransfersTable {
  /** These two are called within a transaction. */
  begin(transfers: readonly Transfer[]): void
  record(steps: readonly Recorded[]): void
  get(txId: string): Transfer | undefined
  unfinished(): readonly Transfer[]
  stuck(): readonly Transfer[]
  newest(most: number): readonly Transfer[]
  arrivedIn(destination: Destination, uidvalidity: number): ReadonlySet<number>
}

interface OwnerColumns {
  readonly owner_pid: number | null
  readonly owner_started: string | null
  readonly owner_token: string | null
}

const OWNER_COLUMNS = ['owner_pid', 'owner_started', 'owner_token'] as const satisfies readonly (keyof OwnerColumns)[]
const NOBODY: OwnerColumns = { owner_pid: null, owner_started: null, owner_token: null }

export function transfersTableIn(db: DatabaseFile, owner: Owner): TransfersTable {
  const us: OwnerColumns = { owner_pid: owner.pid, owner_started: owner.started, owner_token: owner.token }
  const insert = db.prepare<[Row & OwnerColumns]>(insertInto('transactions', [...COLUMNS, ...OWNER_COLUMNS]))
  const note = db.prepare<[EventRow]>(
    insertInto('transaction_events', ['tx_id', 'step', 'timestamp', 'outcome', 'detail']),
  )
  const update = db.prepare<[Row & OwnerColumns & { readonly our_token: string }]>(
    `update transactions set ${[...STATE_COLUMNS, ...OWNER_COLUMNS].map((name) => `${name} = @${name}`).join(', ')}
     where tx_id = @tx_id and owner_token = @our_token and operation = @operation`,
  )
  const select = `select ${COLUMNS.join(', ')} from transactions`
  const one = db.prepare<[string], Row>(`${select} where tx_id = ?`)
  const open = db.prepare<[], Row>(`${select} where status in ('pending', 'staged') order by created_at, number`)
  const stuck = db.prepare<[], Row>(`${select} where status = 'needs_operator' order by created_at, number`)
  const arrived = db.prepare<[string, string, number], { readonly target_uid: number }>(
    `select target_uid from transactions
     where dst_account = ? and dst_folder = ? and target_uidvalidity = ? and target_uid is not null`,
  )
  const inDoubt = db.prepare<[Row], unknown>(
    `select 1 from transactions where status = 'needs_operator' and operation = 'move' and fence_uidnext is not null
     and src_account = @src_account and src_folder = @src_folder
     and src_uidvalidity = @src_uidvalidity and src_uid = @src_uid`,
  )
  const newest = db.prepare<[number], Row>(`${select} order by created_at desc, number desc limit ?`)

  return {
    begin(transfers) {
      for (const transfer of transfers) {
        const row = toRow(transfer)
        // Its copy may be somewhere already: until a person has decided, it is not moved a second time.
        if (transfer.operation === 'move' && inDoubt.get(row) !== undefined) throw taken()
        insert.run({ ...row, ...us })
        note.run(begunRow(transfer))
      }
    },
    record(steps) {
      for (const step of steps) {
        const { after } = step
        const keeper = isFinal(after) ? NOBODY : us
        const { changes } = update.run({ ...toRow(after), ...keeper, our_token: owner.token })
        if (changes !== 1) throw new Error('a step of a transfer that is not claimed here, or is not that transfer')
        note.run(eventRow(step))
      }
    },
    get(txId) {
      const row = one.get(txId)
      return row && toTransfer(row)
    },
    arrivedIn: ({ account, mailbox }, uidvalidity) =>
      new Set(arrived.all(account, mailbox, uidvalidity).map(({ target_uid }) => target_uid)),
    unfinished: () => open.all().map(toTransfer),
    stuck: () => stuck.all().map(toTransfer),
    newest: (most) => newest.all(Math.max(0, Math.trunc(most))).map(toTransfer),
  }
}

function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map((name) => `@${name}`).join(', ')})`
}
