/**
 * The statements behind the uid store. What writes is called inside a write.
 *
 * Where a list is given, `cross join` keeps SQLite from going through the whole label, and for each message in it through the list.
 */
import { Failure } from '../../../core/failure.ts'
import type { DatabaseFile } from '../../../ports/database-files.ts'
import type { KnownMessage, LabelStanding, LabelState, MessageFacts, MessagePlace } from './store.ts'

const MAX_UID = 0xffff_ffff

/** Those of a label that are older than the look at it and not among what it showed. */
const OTHERS = `label = (select id from label where gmail = ?) and uid < ?
  and message not in (select m.id from json_each(?) j join message m on m.gmail = j.value)`

interface LabelRow extends LabelState {
  readonly key: number
}

export class Rows {
  readonly #db: DatabaseFile
  readonly #now: () => number

  constructor(db: DatabaseFile, now: () => number) {
    this.#db = db
    this.#now = now
  }

  label(gmail: string): LabelRow | undefined {
    return this.#db.get('select id as key, uidvalidity, uidnext as uidNext from label where gmail = ?', gmail)
  }

  /** Only inside a write. */
  made(gmail: string): LabelRow {
    this.#db.run(
      `insert into label (gmail, uidvalidity) values (?, max(?, (select coalesce(max(uidvalidity), 0) + 1 from label)))
       on conflict (gmail) do nothing`,
      gmail,
      Math.floor(this.#now() / 1000),
    )
    const made = this.label(gmail)
    if (made === undefined) throw new Error('a label row vanished')
    return made
  }

  uids(gmail: string, ids: readonly string[]): Map<string, number> {
    const found = this.#db.all<{ id: string; uid: number }>(
      `select m.gmail as id, p.uid from json_each(?) j cross join message m on m.gmail = j.value
       cross join place p on p.message = m.id and p.label = (select id from label where gmail = ?)`,
      JSON.stringify(ids),
      gmail,
    )
    return new Map(found.map(({ id, uid }) => [id, uid]))
  }

  /** Newest first comes in; the oldest gets the smallest uid. Only inside a write. */
  add(gmail: string, ids: readonly string[]): void {
    const { key, uidNext } = this.made(gmail)
    if (uidNext + ids.length > MAX_UID) throw new Failure('unsupported', 'the label has given out all its uids')
    for (const [index, id] of ids.toReversed().entries()) {
      this.#db.run('insert into message (gmail) values (?) on conflict (gmail) do nothing', id)
      this.#db.run(
        'insert into place (label, uid, message) select ?, ?, id from message where gmail = ?',
        key,
        uidNext + index,
        id,
      )
    }
    this.#db.run('update label set uidnext = ? where id = ?', uidNext + ids.length, key)
  }

  others(gmail: string, ids: readonly string[], fence: number): string[] {
    const found = this.#db.all<{ id: string }>(
      `select m.gmail as id from place join message m on m.id = place.message where ${OTHERS}`,
      gmail,
      fence,
      JSON.stringify(ids),
    )
    return found.map(({ id }) => id)
  }

  dropOthers(gmail: string, ids: readonly string[], fence: number): void {
    this.#db.run(`delete from place where ${OTHERS}`, gmail, fence, JSON.stringify(ids))
  }

  known(gmail: string, uids: readonly number[]): Map<number, KnownMessage> {
    const found = this.#db.all<{ uid: number; id: string; deleted: number }>(
      `select p.uid, m.gmail as id, p.deleted from json_each(?) j
       cross join place p on p.label = (select id from label where gmail = ?) and p.uid = j.value
       cross join message m on m.id = p.message`,
      JSON.stringify(uids),
      gmail,
    )
    return new Map(found.map(({ uid, id, deleted }) => [uid, { uid, id, deleted: deleted === 1 }]))
  }

  standing(gmail: string): LabelStanding | undefined {
    const found = this.#db.get<Omit<LabelStanding, 'history'> & { history: string | null }>(
      `select uidvalidity, uidnext as uidNext, marks, history,
       (select count(*) from place p where p.label = l.id) as messages from label l where gmail = ?`,
      gmail,
    )
    return found && { ...found, history: found.history ?? undefined }
  }

  all(gmail: string): KnownMessage[] {
    const found = this.#db.all<{ uid: number; id: string; deleted: number }>(
      `select p.uid, m.gmail as id, p.deleted from place p join message m on m.id = p.message
       where p.label = (select id from label where gmail = ?) order by p.uid`,
      gmail,
    )
    return found.map(({ uid, id, deleted }) => ({ uid, id, deleted: deleted === 1 }))
  }

  markedSince(gmail: string, marks: number): string[] {
    const found = this.#db.all<{ id: string }>(
      `select m.gmail as id from place p join message m on m.id = p.message
       where p.label = (select id from label where gmail = ?) and p.marked > ?`,
      gmail,
      marks,
    )
    return found.map(({ id }) => id)
  }

  /** Only inside a write. */
  noteHistory(gmail: string, history: string): void {
    const { key } = this.made(gmail)
    this.#db.run('update label set history = ? where id = ?', history, key)
  }

  drop(gmail: string, ids: readonly string[]): void {
    this.#db.run(
      `delete from place where label = (select id from label where gmail = ?)
       and message in (select m.id from json_each(?) j join message m on m.gmail = j.value)`,
      gmail,
      JSON.stringify(ids),
    )
  }

  mark(gmail: string, uids: readonly number[], deleted: boolean): void {
    this.#db.run('update label set marks = marks + 1 where gmail = ?', gmail)
    this.#db.run(
      `update place set deleted = ?, marked = (select marks from label where id = place.label)
       where label = (select id from label where gmail = ?) and uid in (select value from json_each(?))`,
      deleted ? 1 : 0,
      gmail,
      JSON.stringify(uids),
    )
  }

  /** All but one number: a label that is seen again has a uidvalidity that none ever had. Only inside a write. */
  forget(): void {
    this.#db.run('delete from place')
    this.#db.run('delete from message')
    this.#db.run(
      `insert into label (gmail, uidvalidity) select '', coalesce(max(uidvalidity), 0) + 1 from label where true
       on conflict (gmail) do update set uidvalidity = excluded.uidvalidity`,
    )
    this.#db.run("delete from label where gmail <> ''")
  }

  places(id: string): MessagePlace[] {
    return this.#db.all(
      `select l.gmail as label, l.uidvalidity, l.uidnext as uidNext, p.uid from place p
       join label l on l.id = p.label join message m on m.id = p.message where m.gmail = ? order by l.id`,
      id,
    )
  }

  learn(facts: readonly MessageFacts[]): void {
    for (const { id, thread, received, size } of facts) {
      this.#db.run(
        `insert into message (gmail, thread, received, size) values (?, ?, ?, ?)
         on conflict (gmail) do update set thread = excluded.thread, received = excluded.received, size = excluded.size`,
        id,
        thread,
        received,
        size,
      )
    }
  }

  facts(ids: readonly string[]): Map<string, MessageFacts> {
    const found = this.#db.all<MessageFacts>(
      `select m.gmail as id, m.thread, m.received, m.size from json_each(?) j join message m on m.gmail = j.value
       where m.received is not null`,
      JSON.stringify(ids),
    )
    return new Map(found.map((facts) => [facts.id, facts]))
  }
}
