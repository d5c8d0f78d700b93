/**
 * The tables of the two files.
 *
 * INVARIANT: a file is only ever used at exactly the version this code knows: an older one is brought up first, a newer one
 * refused. Of letters with one digest at most one is open, and each letter has at most one attempt that counts.
 */
import type { Database } from 'better-sqlite3'
import { type FileWords, newerVersion, OUTBOX_WORDS, otherProgram, READS_WORDS } from './failures.ts'

export interface FileKind {
  readonly applicationId: number
  /** One script per version: script `n` brings a file from version `n` to `n + 1`. */
  readonly scripts: readonly string[]
  /** Whether each commit is flushed before anybody hears of it; else it outlives this process, but the last may not a power failure. */
  readonly isFlushed: boolean
  readonly words: FileWords
}

/**
 * Times are milliseconds since 1970. `over_at` is when an open letter expires, `ended_at` when it was over;
 * `owner` is the store that has claimed it. What never changes is in `letter`, so that a step rewrites little.
 */
export const OUTBOX_FILE: FileKind = {
  applicationId: 0x5053_544f, // "PSTO"
  words: OUTBOX_WORDS,
  isFlushed: true,
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
  ],
}

/** `readers` is a JSON list; `key` the hash of account and readers, so that the index stays small. */
export const READS_FILE: FileKind = {
  applicationId: 0x5053_5452, // "PSTR"
  words: READS_WORDS,
  isFlushed: false,
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

/** Brings the file to the version that the scripts lead to. Safe when several processes do it at once. */
export function migrate(db: Database, kind: FileKind): void {
  if (isCurrent(db, kind)) return
  db.transaction(() => {
    if (isCurrent(db, kind)) return
    const version = versionOf(db)
    refuseForeign(db, version, kind)
    for (const script of kind.scripts.slice(version)) db.exec(script)
    db.pragma(`application_id = ${kind.applicationId}`)
    db.pragma(`user_version = ${kind.scripts.length}`)
  }).immediate()
}

function refuseForeign(db: Database, version: number, { applicationId, scripts, words }: FileKind): void {
  const application = applicationOf(db)
  const empty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined
  if (application !== applicationId && !(application === 0 && version === 0 && empty)) throw otherProgram(words)
  if (version > scripts.length) throw newerVersion(words)
}

function isCurrent(db: Database, { applicationId, scripts }: FileKind): boolean {
  return applicationOf(db) === applicationId && versionOf(db) === scripts.length
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

function applicationOf(db: Database): number {
  return Number(db.pragma('application_id', { simple: true }))
}
