/**
 * Messages of a mirror as they are shown.
 *
 * INVARIANT: in the order asked for, those that are there.
 */
import type { Summary, Traits } from '../../core/message.ts'
import { parseHeader } from '../../core/mime/header.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { Unindexed } from '../../ports/mirror-store.ts'
import type { MirrorDatabase } from './file/database.ts'
import { readFlags } from './flags.ts'
import { folderAt, folderNamed } from './folders.ts'
import { readStructure } from './structure-text.ts'

interface Stored {
  readonly uid: number
  readonly received: number
  readonly size: number
  readonly flags: string
  readonly header: Uint8Array
  readonly header_cut: number
  readonly structure: string
}

const JOINED = 'from message m join content c on c.key = m.key'
const STORED = `select m.uid, m.received, m.size, m.flags, c.header, c.header_cut, c.structure ${JOINED}`

const UNINDEXED = `${JOINED} where m.folder = ? and m.entered is null order by m.key limit ?`
/** What headers that are looked up at once may have together. */
const MOST_HEADERS = 16 * 1024 * 1024

export function uidsOf(db: MirrorDatabase, mailbox: string): number[] {
  const folder = folderNamed(db, mailbox)
  const rows = db.all<{ uid: number }>('select uid from message where folder = ? order by uid', folder.id)
  return rows.map(({ uid }) => uid)
}

export function unindexed(db: MirrorDatabase, mailbox: string, most: number): Unindexed[] {
  const { id } = folderNamed(db, mailbox)
  const lengths = db.all<{ length: number }>(`select length(c.header) as length ${UNINDEXED}`, id, most)
  const rows = db.all<Pick<Stored, 'uid' | 'header' | 'structure'>>(
    `select m.uid, c.header, c.structure ${UNINDEXED}`,
    id,
    fitting(lengths.map(({ length }) => length)),
  )
  return rows.map(({ uid, header, structure }) => ({
    uid,
    header,
    get structure() {
      return readStructure(structure)
    },
  }))
}

/** How many from the first on have no more than that, and at least one. */
function fitting(lengths: readonly number[]): number {
  let bytes = 0
  const tooMuch = lengths.findIndex((length) => {
    bytes += length
    return bytes > MOST_HEADERS
  })
  return tooMuch === -1 ? lengths.length : Math.max(1, tooMuch)
}

export function traitsOf(
  db: MirrorDatabase,
  at: MailboxAt,
  uids: readonly number[],
  fields: readonly string[],
): Traits[] {
  const wanted = new Set(fields.map((field) => field.toLowerCase()))
  return stored(db, at, uids).map(({ header, header_cut, structure, flags, ...row }) => ({
    ...row,
    flags: readFlags(flags),
    header: wanted.size === 0 ? [] : parseHeader(header).filter(({ name }) => wanted.has(name.toLowerCase())),
    headerCut: header_cut === 1,
    structure: readStructure(structure),
  }))
}

export function summariesOf(db: MirrorDatabase, at: MailboxAt, uids: readonly number[]): Summary[] {
  return stored(db, at, uids).map(({ uid, received, size, flags, header }) => ({
    uid,
    received,
    size,
    flags: readFlags(flags),
    header: parseHeader(header),
    bodyStart: undefined,
  }))
}

export function snippetsOf(db: MirrorDatabase, at: MailboxAt, uids: readonly number[]): ReadonlyMap<number, string> {
  const rows = db.all<{ uid: number; snippet: string }>(
    `select m.uid, c.snippet ${JOINED}
     where m.folder = ? and m.uid in (select value from json_each(?)) and c.snippet is not null`,
    folderAt(db, at).id,
    JSON.stringify(uids),
  )
  return new Map(rows.map(({ uid, snippet }) => [uid, snippet]))
}

export function partialOf(db: MirrorDatabase, at: MailboxAt): number[] {
  const rows = db.all<{ uid: number }>(
    'select uid from message where folder = ? and partial is not null',
    folderAt(db, at).id,
  )
  return rows.map(({ uid }) => uid)
}

export function threadOf(db: MirrorDatabase, threadId: string): { mailbox: string; uid: number }[] {
  return db.all(
    `select f.mailbox, m.uid from message m join folder f on f.id = m.folder
     where m.thread = ? order by m.key`,
    threadId,
  )
}

function stored(db: MirrorDatabase, at: MailboxAt, uids: readonly number[]): Stored[] {
  const rows = db.all<Stored>(
    `${STORED} where m.folder = ? and m.uid in (select value from json_each(?))`,
    folderAt(db, at).id,
    JSON.stringify(uids),
  )
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return uids.flatMap((uid) => byUid.get(uid) ?? [])
}
