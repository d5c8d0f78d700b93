/**
 * The files `outbox.db` and `reads.db`. They are two because one of them is flushed at every step and the other, which every
 * answer waits for, must not wait for that.
 *
 * INVARIANT: of letters with one digest at most one is open, and each letter has at most one attempt that counts.
 */
import type { DatabaseKind } from '../../ports/database-files.ts'
import { fileFailure, OUTBOX_WORDS, READS_WORDS } from './failures.ts'

/** What a large message leaves of the log beside the file is given back. */
const BOTH = ['foreign_keys = ON', 'secure_delete = FAST', `journal_size_limit = ${64 * 1024 * 1024}`]

/**
 * Times are milliseconds since 1970. `over_at` is when an open letter expires, `ended_at` when it was over;
 * `owner` is the store that has claimed it. What never changes is in `letter`, so that a step rewrites little.
 */
export const OUTBOX_FILE: DatabaseKind = {
  applicationId: 0x5053_544f, // "PSTO"
  // macOS flushes its disks only when asked in this way.
  // The log is carried over every 16 MB: each time everybody stands still for the disk.
  pragmas: ['journal_mode = WAL', 'synchronous = NORMAL', 'fullfsync = ON', 'wal_autocheckpoint = 4000', ...BOTH],
  isFlushedAside: true,
  failure: (trouble) => fileFailure(trouble, OUTBOX_WORDS),
  scripts: [
    `
    create table entry (
      number integer primary key,
      id text not null unique,
      digest text not null,
      account text not null,
      kind text not null check
        (kind in ('waiting', 'approved', 'claimed', 'sent', 'failed', 'needs_operator', 'rejected', 'expired')),
      state text not null,
      created integer not null,
      over_at integer,
      ended_at integer,
      owner text,
      check ((kind = 'claimed') = (owner is not null))
    ) strict;
    create unique index entry_open on entry (digest)
      where kind in ('waiting', 'approved', 'claimed', 'needs_operator', 'rejected');
    create index entry_newest on entry (created, number);
    create index entry_kind on entry (kind, created, number);
    create index entry_over on entry (over_at) where over_at is not null;
    create index entry_ended on entry (ended_at) where ended_at is not null;
    create index entry_account on entry (account);
    create table letter (
      number integer primary key references entry (number) on delete cascade,
      fields text not null
    ) strict;
    create table message (
      number integer primary key references entry (number) on delete cascade,
      bytes blob not null
    ) strict;
    create table attempt (
      number integer primary key references entry (number) on delete cascade,
      account text not null,
      claimed_at integer not null
    ) strict;
    create index attempt_lately on attempt (account, claimed_at);
    create table written_to (
      account text not null,
      address text not null,
      primary key (account, address)
    ) strict, without rowid;
    `,
    // Few letters are kept, and every step of one paid for what hardly anybody asks.
    `
    drop index entry_newest;
    drop index entry_account;
    drop index entry_kind;
    create index entry_kind on entry (kind);
    `,
    // How much each caller has waiting is looked at before every new message.
    `
    alter table entry add column caller text not null default '';
    update entry set caller = coalesce(
      (select case when json_valid(fields) then json_extract(fields, '$.sending.caller') end
       from letter where letter.number = entry.number), '');
    `,
    // Versions that a person has made count towards no caller's limit.
    `
    alter table entry add column is_version integer not null default 0;
    update entry set is_version = 1 where number in
      (select number from letter where json_valid(fields) and json_type(fields, '$.sending.version') = 'object');
    `,
  ],
}

/** `readers` is a JSON list; `key` the hash of account and readers, so that the index stays small. */
export const READS_FILE: DatabaseKind = {
  applicationId: 0x5053_5452, // "PSTR"
  // A commit outlives this process, but the last may not a power failure.
  pragmas: ['journal_mode = WAL', 'synchronous = NORMAL', ...BOTH],
  failure: (trouble) => fileFailure(trouble, READS_WORDS),
  scripts: [
    `
    create table read (
      caller text not null,
      key blob not null,
      account text not null,
      readers text not null,
      at integer not null
    ) strict;
    create unique index read_once on read (caller, key);
    create index read_lately on read (caller, at);
    create index read_when on read (at);
    create index read_account on read (account);
    `,
  ],
}
