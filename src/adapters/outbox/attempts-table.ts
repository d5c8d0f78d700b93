/**
 * How many letters of an account have gone out lately, and to whom any ever has.
 *
 * INVARIANT: an attempt counts from its claim until its window is over, unless it is known that nothing went out. Those that
 * seem to be in the future count as well: a clock that is set back makes room for nobody.
 */
import { addressKey, recipientsOf, type Sending } from '../../core/outbox/sending.ts'
import type { DatabaseFile } from '../../ports/database-files.ts'
import type { SendLimit } from '../../ports/outbox-store.ts'

export interface AttemptsTable {
  /** Milliseconds until there is room for one more; 0 where there is. */
  waitFor(account: string, at: number, limit: SendLimit): number
  /** These are called within a transaction. */
  begin(number: number, account: string, at: number): void
  release(number: number): void
  arrived(sending: Sending, refused: readonly string[]): void
  writtenTo(account: string, addresses: readonly string[]): ReadonlySet<string>
  forget(account: string): void
}

export function attemptsTableIn(db: DatabaseFile): AttemptsTable {
  const nth = db.prepare<[string, number, number], { claimed_at: number }>(
    'select claimed_at from attempt where account = ? and claimed_at > ? order by claimed_at desc limit 1 offset ?',
  )
  const insert = db.prepare<[number, string, number]>(
    'insert into attempt (number, account, claimed_at) values (?, ?, ?)',
  )
  const remove = db.prepare<[number]>('delete from attempt where number = ?')
  const write = db.prepare<[string, string]>('insert or ignore into written_to (account, address) values (?, ?)')
  const find = db.prepare<[string, string]>('select 1 from written_to where account = ? and address = ?')
  const forget = db.prepare<[string]>('delete from written_to where account = ?')

  return {
    waitFor(account, at, { most, lengthMs }) {
      if (most < 1) return lengthMs
      // Once this one has left the window, fewer than `most` are in it.
      const then = nth.get(account, at - lengthMs, most - 1)?.claimed_at
      return then === undefined ? 0 : then + lengthMs - at
    },
    begin: (number, account, at) => void insert.run(number, account, at),
    release: (number) => void remove.run(number),
    arrived(sending, refused) {
      const not = new Set(refused.map(addressKey))
      for (const key of recipientsOf(sending).map(addressKey)) if (!not.has(key)) write.run(sending.account, key)
    },
    writtenTo: (account, addresses) =>
      new Set(addresses.filter((address) => find.get(account, addressKey(address)) !== undefined)),
    forget: (account) => void forget.run(account),
  }
}
