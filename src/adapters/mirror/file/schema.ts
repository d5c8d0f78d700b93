/**
 * The tables of a mirror.
 *
 * INVARIANT: a file is only ever used at exactly the version this code knows. The key of a message orders all messages of
 * the file: ascending keys are newest first, by received time and then by uid. It never leaves SQL as a number, which
 * could not hold it.
 *
 * What scans look at is in `message`, which is narrow; what is shown is in `content`. Senders, recipients and subjects, as
 * rules see them, are kept once each. A set's number is never given out again. `entered` numbers messages in the order in
 * which they were indexed, `removed` those that are gone from folders that are still there, of which only the last are kept.
 */
import type { DatabaseKind } from '../../../ports/database-files.ts'
import { mirrorFailure } from '../failures.ts'

/** One script per version: script `n` brings a file from version `n` to `n + 1`. Times are seconds, but `checked_at`. */
const SCRIPTS: readonly string[] = [
  `
  create table folder (
    id integer primary key autoincrement,
    mailbox text not null unique,
    uidvalidity integer not null,
    uidnext integer not null,
    messages integer not null,
    modseq text,
    filled_down_to integer not null,
    kept integer not null default 0,
    indexed integer not null default 0,
    depth text not null default 'headers' check (depth in ('headers', 'full')),
    authserv_id text,
    checked_at integer not null
  ) strict;
  create table message (
    key integer primary key,
    folder integer not null,
    uid integer not null,
    received integer not null,
    size integer not null,
    bits integer not null,
    flags text not null,
    keywords text,
    entered integer,
    senders integer,
    recipients integer,
    subjects integer,
    attachment integer,
    authenticated integer,
    message_id integer,
    thread text
  ) strict;
  create unique index message_uid on message (folder, uid);
  create index message_newest on message (folder);
  create index message_unseen on message (folder) where bits & 1 = 0;
  create index message_flagged on message (folder) where bits & 2 <> 0;
  create index message_unindexed on message (folder) where entered is null;
  create index message_entered on message (entered) where entered is not null;
  create index message_thread on message (thread) where thread is not null;
  create index message_by_id on message (message_id) where message_id is not null;
  create table content (
    key integer primary key,
    header blob not null,
    header_cut integer not null,
    structure text not null,
    server_thread text,
    snippet text
  ) strict;
  create table folded (
    key integer primary key,
    sender text not null,
    recipients text not null,
    subject text not null,
    message_id text
  ) strict;
  create table sender_set (
    id integer primary key autoincrement,
    addresses text not null unique,
    many integer not null
  ) strict;
  create table recipient_set (
    id integer primary key autoincrement,
    addresses text not null unique,
    folded text not null,
    many integer not null
  ) strict;
  create table subject_set (
    id integer primary key autoincrement,
    subjects text not null unique,
    each_one text,
    many integer not null
  ) strict;
  create table listing (mailboxes text not null) strict;
  create table counter (entered integer not null) strict;
  insert into counter (entered) values (0);
  -- The body comes first: every word of another column names its column.
  create virtual table words using fts5 (
    body, place, sender, recipients, copied, hidden_copied, subject, filenames, attachments,
    content = '', contentless_delete = 1, tokenize = 'ascii'
  );
  -- What is merged while an account is first read is merged again in the end. A crisis would merge in a single write.
  insert into words (words, rank) values ('automerge', 0);
  insert into words (words, rank) values ('crisismerge', 1000);
  insert into words (words, rank) values ('hashsize', 4194304);
  `,
  // Folders are filled from the largest uid downwards: so every message comes last, for which SQLite has a short way.
  `
  drop index message_uid;
  create unique index message_uid on message (folder, uid desc);
  `,
  // What tells whether counts of a folder can be carried on; and which messages were removed last.
  `
  alter table folder add column gone integer not null default 0;
  alter table folder add column flagged integer not null default 0;
  create table removed (number integer primary key, key integer not null) strict;
  alter table counter add column removed integer not null default 0;
  `,
  // Which messages have more text than is searched. Indexed again are those of which less was read before (texts of more than
  // 64 KiB, texts after the first one), and those whose header is read otherwise now (bytes beyond ASCII).
  `
  alter table message add column partial integer;
  create index message_partial on message (folder) where partial is not null;
  create table reread (key integer primary key) strict;
  insert into reread (key)
    select m.key from message m join content c on c.key = m.key
    where m.entered is not null and (
      cast(c.header as text) glob '*[^' || char(1) || '-' || char(127) || ']*'
      or exists (
        select 1 from (select case type when 'array' then value else '[]' end as part from json_tree(c.structure))
        where (part ->> '$[1]' glob 'text/*' and part ->> '$[3]' > 65536)
          or (
            part ->> '$[1]' glob 'multipart/*' and part ->> '$[1]' not in ('multipart/alternative', 'multipart/related')
            and (
              select count(*) from json_each(part, '$[9]')
              where value ->> '$[1]' glob 'text/*' or value ->> '$[1]' glob 'multipart/*'
            ) > 1
          )
      )
    );
  delete from words where rowid in (select key from reread);
  update content set snippet = null where key in (select key from reread);
  update folder set gone = gone + 1, indexed = indexed - (
    select count(*) from message m join reread r on r.key = m.key where m.folder = folder.id
  );
  update message set entered = null where key in (select key from reread);
  drop table reread;
  `,
  // Which messages have text that a person may not see, and its words, which visible ones are not among. Indexed again are those
  // whose text is judged otherwise now: those with a page or a document.
  `
  alter table message add column uncertain integer;
  create virtual table uncertain_words using fts5 (
    body, attachments, content = '', contentless_delete = 1, tokenize = 'ascii'
  );
  create table reread (key integer primary key) strict;
  insert into reread (key)
    select m.key from message m join content c on c.key = m.key join folder f on f.id = m.folder
    where m.entered is not null and f.depth = 'full' and exists (
      select 1 from (select case type when 'array' then value else '[]' end as part from json_tree(c.structure))
      where part ->> '$[1]' = 'text/html' or part ->> '$[1]' glob 'application/*'
    );
  delete from words where rowid in (select key from reread);
  update content set snippet = null where key in (select key from reread);
  update folder set gone = gone + 1, indexed = indexed - (
    select count(*) from message m join reread r on r.key = m.key where m.folder = folder.id
  );
  update message set entered = null where key in (select key from reread);
  drop table reread;
  `,
]

export const MIRROR_FILE: DatabaseKind = {
  applicationId: 0x5053_544d, // "PSTM"
  scripts: SCRIPTS,
  pragmas: [
    // Only a file that is still empty takes another page size.
    'page_size = 8192',
    'journal_mode = WAL',
    // After a loss of power the last writes may be missing, never a part of one: they are fetched again.
    'synchronous = NORMAL',
    // 64 MB: bulk work would otherwise copy its pages back after every transaction.
    'wal_autocheckpoint = 8000',
    'journal_size_limit = 67108864',
    'cache_size = -16000',
    'temp_store = MEMORY',
    'secure_delete = FAST',
  ],
  isLeftToWriters: true,
  failure: (trouble) => mirrorFailure(trouble, SCRIPTS.length),
}
