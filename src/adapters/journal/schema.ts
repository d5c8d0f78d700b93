/**
 * The tables of the journal.
 *
 * INVARIANT: what is committed is on disk. No table has room for text of a message. A message is moved by one transfer at a
 * time, and one arrival is one transfer's.
 */
import type { DatabaseKind } from '../../ports/database-files.ts'
import { journalFailure } from './failures.ts'

/**
 * One script per version: script `n` brings a file from version `n` to `n + 1`. Times are milliseconds since 1970, but
 * `received`, which is in seconds. The owner is a process, and the journal in it that has the claim.
 */
const SCRIPTS: readonly string[] = [
  `
  create table transactions (
    number integer primary key,
    tx_id text not null unique,
    status text not null check (status in ('pending', 'staged', 'committed', 'aborted', 'needs_operator')),
    created_at integer not null,
    committed_at integer,
    caller_id text not null,
    operation text not null check (operation in ('move', 'copy')),
    src_account text not null,
    src_folder text not null,
    src_uid integer not null,
    src_uidvalidity integer not null,
    dst_account text not null,
    dst_folder text not null,
    readable integer not null check (readable in (0, 1)),
    message_id text,
    content_hash text,
    size integer,
    flags text,
    received integer,
    fence_uidvalidity integer,
    fence_uidnext integer,
    target_uid integer,
    source_gone text not null check (source_gone in ('no', 'flagged', 'yes')),
    retry_count integer not null,
    last_error text,
    owner_pid integer,
    owner_started text,
    owner_token text
  ) strict;
  create index transactions_newest on transactions (created_at, number);
  create index transactions_unfinished on transactions (created_at, number) where status in ('pending', 'staged');
  create unique index transactions_moving on transactions (src_account, src_folder, src_uidvalidity, src_uid)
    where operation = 'move' and status in ('pending', 'staged');
  create unique index transactions_arrived on transactions (dst_account, dst_folder, fence_uidvalidity, target_uid)
    where target_uid is not null;
  create index transactions_owned on transactions (owner_token) where owner_token is not null;
  create table transaction_events (
    number integer primary key,
    tx_id text not null references transactions (tx_id),
    step text not null,
    timestamp integer not null,
    outcome text not null,
    detail text
  ) strict;
  create index transaction_events_of on transaction_events (tx_id, number);
  `,
  `
  alter table transactions add column target_uidvalidity integer;
  alter table transactions add column starred integer check (starred in (0, 1));
  update transactions set target_uidvalidity = fence_uidvalidity where target_uid is not null;
  drop index transactions_arrived;
  create unique index transactions_arrived on transactions (dst_account, dst_folder, target_uidvalidity, target_uid)
    where target_uid is not null;
  create index transactions_stuck on transactions (src_account, src_folder, src_uidvalidity, src_uid)
    where status = 'needs_operator';
  `,
  `
  alter table transactions add column response_code text;
  alter table transactions add column unproven text check (unproven in ('acknowledged', 'similar'));
  alter table transactions add column unproven_uid integer;
  alter table transactions add column unproven_uidvalidity integer;
  `,
]

export const JOURNAL_FILE: DatabaseKind = {
  applicationId: 0x5053_544a, // "PSTJ"
  scripts: SCRIPTS,
  pragmas: [
    'journal_mode = WAL',
    // A commit returns when it is on disk; the first one syncs the directory too.
    'synchronous = FULL',
    // macOS flushes its disks only when asked in this way.
    'fullfsync = ON',
    'foreign_keys = ON',
  ],
  failure: (trouble) => journalFailure(trouble, SCRIPTS.length),
}
