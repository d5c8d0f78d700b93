/**
 * The tables of a local mailbox file.
 *
 * INVARIANT: a file is only ever used at exactly the version this code knows: an older one is brought up first, a
 * newer one refused. Uids are given out by `mailbox.uidnext`, which only grows.
 *
 * A content row is one distinct message text, shared by every message that is byte for byte the same. Its bytes are cut
 * into chunks, so that the beginning of a large one is read without the rest; its words stand apart, so that looking
 * through senders and subjects does not read them.
 */
import type { Database } from 'better-sqlite3'
import { Failure } from '../../core/failure.ts'

export const CHUNK_BYTES = 64 * 1024
/** Chunk `n` of content `c` is row `c * CHUNKS_PER_CONTENT + n`. */
export const CHUNKS_PER_CONTENT = 65_536

/** One script per version: script `n` brings a file from version `n` to `n + 1`. */
const SCRIPTS: readonly string[] = [
  `
  create table mailbox (
    id integer primary key autoincrement,
    account text not null,
    name text not null,
    role text,
    uidvalidity integer not null,
    uidnext integer not null default 1,
    unique (account, name)
  ) strict;
  create table content (
    id integer primary key autoincrement,
    hash blob not null unique,
    size integer not null,
    body_start integer not null,
    from_text text not null,
    to_text text not null,
    subject_text text not null
  ) strict;
  create table search_text (
    content integer primary key references content (id),
    text text not null
  ) strict;
  create table chunk (
    place integer primary key,
    bytes blob not null
  ) strict;
  create table message (
    mailbox integer not null references mailbox (id),
    uid integer not null,
    received integer not null,
    flags text not null,
    seen integer not null,
    content integer not null references content (id),
    key text,
    primary key (mailbox, uid)
  ) strict, without rowid;
  create index message_newest on message (mailbox, received desc, uid desc, seen, content);
  create index message_content on message (content);
  create index message_key on message (mailbox, key) where key is not null;
  create table bookmark (
    account text not null,
    source text not null,
    position text not null,
    primary key (account, source)
  ) strict, without rowid;
  `,
]

export const SCHEMA_VERSION = SCRIPTS.length
/** Marks the file as ours: "PSTN". */
const APPLICATION_ID = 0x5053_544e

/** Brings the file to the current version. Safe when several processes do it at once. */
export function migrate(db: Database): void {
  if (versionOf(db) === SCHEMA_VERSION && applicationOf(db) === APPLICATION_ID) return
  db.transaction(() => {
    const version = versionOf(db)
    refuseForeign(db, version)
    for (const script of SCRIPTS.slice(version)) db.exec(script)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  }).immediate()
}

function refuseForeign(db: Database, version: number): void {
  const application = applicationOf(db)
  const empty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined
  if (application !== APPLICATION_ID && !(application === 0 && version === 0 && empty)) {
    throw new Failure('unreadable', 'the local mailbox file is a database of another program')
  }
  if (version > SCHEMA_VERSION) {
    throw new Failure(
      'unsupported',
      'the local mailbox was written by a newer version of Postern: upgrade Postern to open it',
      {
        details: { file_version: version, known_version: SCHEMA_VERSION },
      },
    )
  }
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

function applicationOf(db: Database): number {
  return Number(db.pragma('application_id', { simple: true }))
}
