/**
 * The messages of a mirror: filed, flagged and removed.
 *
 * INVARIANT: called inside a write. A message is in `message` and in `content`, and once it is indexed in `folded` and `words`,
 * under one key; removed, it is in none of them.
 */
import type { Row, UidFlags } from '../../core/mirror/state.ts'
import type { MirrorDatabase, Value } from './file/database.ts'
import { storedFlags } from './flags.ts'
import { type FolderRow, noteFlagged, noteGone, recount } from './folders.ts'
import { KEY, keyHigh, keyLow, nextKeyLow } from './sql/key-sql.ts'
import { structureText } from './structure-text.ts'

const INTO_MESSAGE = 'insert into message (key, folder, uid, received, size, bits, flags, keywords) values'
const INTO_CONTENT = 'insert into content (key, header, header_cut, structure, server_thread) values'

/** Plain values: as rows of a select they take SQLite twice as long. */
const ADD = `${INTO_MESSAGE} (${KEY}, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`
const ADD_CONTENT = `${INTO_CONTENT} (last_insert_rowid(), ?, ?, ?, ?)`

/** A statement for each message takes longer than filing it. */
const AT_ONCE = 50
const ADD_MANY = `${INTO_MESSAGE} ${Array(AT_ONCE).fill(`(${KEY}, ?, ?, ?, ?, ?, ?, ?)`).join()}`
const ADD_MANY_CONTENTS = `${INTO_CONTENT} ${Array(AT_ONCE).fill(`(${KEY}, ?, ?, ?, ?)`).join()}`

/** Those that are there already stay as they are. */
export function addRows(db: MirrorDatabase, folder: FolderRow, rows: readonly Row[]): void {
  let added = 0
  for (let at = 0; at < rows.length; at += AT_ONCE) added += addSome(db, folder, rows.slice(at, at + AT_ONCE))
  recount(db, folder, added, 0)
}

function addSome(db: MirrorDatabase, folder: FolderRow, rows: readonly Row[]): number {
  if (rows.length === AT_ONCE && addTogether(db, folder, rows)) return rows.length
  return rows.reduce((added, row) => (addRow(db, folder, row) ? added + 1 : added), 0)
}

/** None of them where one is there already, or has a key that is taken. */
function addTogether(db: MirrorDatabase, { id }: FolderRow, rows: readonly Row[]): boolean {
  const messages: Value[] = []
  const contents: Value[] = []
  for (const { received, uid, size, flags, header, headerCut, structure, serverThread } of rows) {
    const [high, low] = [keyHigh(received), keyLow(uid, id)]
    const stored = storedFlags(flags)
    messages.push(high, low, id, uid, received, size, stored.bits, stored.flags, stored.keywords)
    contents.push(high, low, header, headerCut ? 1 : 0, structureText(structure), serverThread ?? null)
  }
  if (!db.runIfFree(ADD_MANY, messages)) return false
  db.run(ADD_MANY_CONTENTS, ...contents)
  return true
}

function addRow(db: MirrorDatabase, folder: FolderRow, row: Row): boolean {
  if (!addMessage(db, folder, row)) return false
  db.run(ADD_CONTENT, row.header, row.headerCut ? 1 : 0, structureText(row.structure), row.serverThread ?? null)
  return true
}

/** Under the first key of its second that is free. */
function addMessage(db: MirrorDatabase, { id }: FolderRow, { received, uid, size, flags }: Row): boolean {
  const stored = storedFlags(flags)
  for (let taken = 0; ; taken += 1) {
    const key = [keyHigh(received), nextKeyLow(keyLow(uid, id), taken)]
    if (db.run(ADD, ...key, id, uid, received, size, stored.bits, stored.flags, stored.keywords) > 0) return true
    if (db.get('select 1 from message where folder = ? and uid = ?', id, uid) !== undefined) return false
  }
}

/** Some servers report all flags every time: what is the same is not written. */
const CHANGE_FLAGS = 'update message set bits = ?, flags = ?, keywords = ? where folder = ? and uid = ? and flags <> ?'

export function changeFlags(db: MirrorDatabase, folder: FolderRow, changes: readonly UidFlags[]): void {
  let changed = 0
  for (const { uid, flags } of changes) {
    const stored = storedFlags(flags)
    changed += db.run(CHANGE_FLAGS, stored.bits, stored.flags, stored.keywords, folder.id, uid, stored.flags)
  }
  if (changed > 0) noteFlagged(db, folder)
}

/** Those of these uids that are there. */
export function removeRows(db: MirrorDatabase, folder: FolderRow, uids: readonly number[]): void {
  if (uids.length === 0) return
  const [which, its] = ['and uid in (select value from json_each(?))', JSON.stringify(uids)]
  if (noteRemoved(db, folder, which, its) > 0) remove(db, folder, which, its)
}

/** Its messages are not noted: its number says that they are gone. Nor are those any more that it lost before. */
export function removeFolder(db: MirrorDatabase, folder: FolderRow): void {
  remove(db, folder, '')
  db.run('delete from removed')
  db.run('delete from folder where id = ?', folder.id)
}

/** Whoever keeps something of messages looks more often than that, or begins anew. */
const MOST_REMOVED = 1000
const NOTE_REMOVED =
  'insert into removed (number, key) select counter.removed + row_number() over (), m.key from counter, '
const COUNT_REMOVED = 'update counter set removed = removed + ?'
const TRIM_REMOVED = `delete from removed where number <= (select removed from counter) - ${MOST_REMOVED}`

/** How many they are. */
function noteRemoved(db: MirrorDatabase, { id }: FolderRow, which: string, uids: string): number {
  const removed = db.run(`${NOTE_REMOVED}(select key from message where folder = ? ${which}) m`, id, uids)
  if (removed > 0) db.run(COUNT_REMOVED, removed)
  if (removed > 0) db.run(TRIM_REMOVED)
  return removed
}

function remove(db: MirrorDatabase, folder: FolderRow, which: string, ...values: readonly string[]): void {
  const keys = `select key from message where folder = ? ${which}`
  db.run(`delete from words where rowid in (${keys} and entered is not null)`, folder.id, ...values)
  db.run(`delete from uncertain_words where rowid in (${keys} and uncertain is not null)`, folder.id, ...values)
  const indexed = db.run(`delete from folded where key in (${keys})`, folder.id, ...values)
  const kept = db.run(`delete from content where key in (${keys})`, folder.id, ...values)
  db.run(`delete from message where folder = ? ${which}`, folder.id, ...values)
  recount(db, folder, -kept, -indexed)
  noteGone(db, folder)
}

/** Where names and subjects are kept that only messages may have had that are gone. */
export const SETS = [
  ['sender_set', 'senders'],
  ['recipient_set', 'recipients'],
  ['subject_set', 'subjects'],
] as const

export function removeUnused(db: MirrorDatabase, [table, column]: (typeof SETS)[number]): void {
  db.run(`delete from ${table} where id not in (select ${column} from message where ${column} is not null)`)
}
