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
import type { DatabaseKind } from '../../ports/database-files.ts'
import { localFailure } from './failures.ts'

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
  // Whether there are more words than are kept; until now there were at most 256 Ki characters.
  `
  alter table search_text add column cut integer not null default 0;
  update search_text set cut = 1 where length(text) > 200000;
  `,
]

export const MAILBOX_FILE: DatabaseKind = {
  applicationId: 0x5053_544e, // "PSTN"
  scripts: SCRIPTS,
  pragmas: [
    // Only a file that is still empty takes another page size.
    'page_size = 8192',
    'journal_mode = WAL',
    'synchronous = FULL',
    // 32 MB: bulk work would otherwise copy its pages back after every transaction.
    'wal_autocheckpoint = 4000',
    'foreign_keys = ON',
    // What is expunged is gone from the file, not only from the listing.
    'secure_delete = ON',
  ],
  failure: (trouble) => localFailure(trouble, SCRIPTS.length),
}
