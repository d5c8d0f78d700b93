/**
 * The SQLite file behind the uids of one Gmail account.
 *
 * INVARIANT: work is one transaction; what finds the file busy did nothing and is tried again, for as long as the caller waits.
 */
import type { DatabaseFile, DatabaseFiles, DatabaseKind } from '../../../ports/database-files.ts'
import { throwIfAborted } from '../failures.ts'
import { uidFailure } from './failures.ts'

/** `uidnext` only ever grows, however often a label is emptied: that is what keeps a uid from coming back. */
const SCHEMA = `
  create table label (
    id integer primary key,
    gmail text not null unique,
    uidvalidity integer not null unique,
    uidnext integer not null default 1,
    history text,
    marks integer not null default 0
  ) strict;
  create table message (
    id integer primary key,
    gmail text not null unique,
    thread text,
    received integer,
    size integer
  ) strict;
  create table place (
    label integer not null references label,
    uid integer not null,
    message integer not null references message,
    deleted integer not null default 0,
    marked integer not null default 0,
    primary key (label, uid)
  ) strict, without rowid;
  create unique index place_of_message on place (message, label);
`

export const UID_FILE: DatabaseKind = {
  // These files never bore a mark.
  applicationId: 0,
  scripts: [SCHEMA],
  // A uid that was given out and forgotten would be given to another message.
  pragmas: ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'],
  failure: uidFailure,
}

export class UidDatabase {
  /** For what is asked within the work. */
  readonly file: DatabaseFile

  constructor(databases: DatabaseFiles, path: string) {
    this.file = databases.file(path, UID_FILE)
  }

  /** All of it or nothing. */
  write<T>(signal: AbortSignal, work: () => T): Promise<T> {
    return this.#wanted(signal, () => this.file.write(work))
  }

  /** Several reads that see the same moment. */
  read<T>(signal: AbortSignal, work: () => T): Promise<T> {
    return this.#wanted(signal, () => this.file.read(work))
  }

  /** What was deleted is gone from the disk too, where nobody else is reading. */
  shrink(signal: AbortSignal): Promise<void> {
    return this.#wanted(signal, () => this.file.script('vacuum; pragma wal_checkpoint(truncate)'))
  }

  #wanted<T>(signal: AbortSignal, work: () => T): Promise<T> {
    return this.file.patiently(() => {
      throwIfAborted(signal)
      return work()
    })
  }
}
