/** What a mirror holds, as lines: the same for two files that would answer everything alike, whatever order they were written in. */
import Sqlite from 'better-sqlite3'

const MESSAGES = `
  select f.mailbox, f.uidvalidity, m.uid, m.received, m.size, m.bits, m.flags, m.keywords, m.entered is not null as found,
    (select addresses from sender_set where id = m.senders) as senders,
    (select addresses from recipient_set where id = m.recipients) as recipients,
    (select subjects from subject_set where id = m.subjects) as subjects,
    m.attachment, m.uncertain, m.authenticated, m.message_id, m.thread,
    hex(c.header) as header, c.header_cut, c.structure, c.server_thread, c.snippet,
    d.sender, d.recipients as folded_recipients, d.subject, d.message_id as folded_id
  from message m join folder f on f.id = m.folder join content c on c.key = m.key left join folded d on d.key = m.key
  order by f.mailbox, m.uid`
const FOLDERS = `
  select mailbox, uidvalidity, uidnext, messages, modseq, filled_down_to, kept, indexed, depth from folder order by mailbox`
/** The place column names the folder by its number, which is another one in another file. */
const WORDS = `
  select f.mailbox, m.uid, w.col, w.offset, w.term
  from temp.told w join message m on m.key = w.doc join folder f on f.id = m.folder
  where w.col <> 'place'
  union all
  select f.mailbox, m.uid, 'uncertain ' || w.col, w.offset, w.term
  from temp.untold w join message m on m.key = w.doc join folder f on f.id = m.folder
  order by 1, 2, 3, 4, 5`
const STRAYS = `
  select (select count(*) from temp.told where doc not in (select key from message)) as words,
    (select count(*) from temp.untold where doc not in (select key from message)) as uncertain,
    (select count(*) from content where key not in (select key from message)) as contents,
    (select count(*) from folded where key not in (select key from message)) as folded`

export interface Dump {
  readonly folders: readonly string[]
  readonly messages: readonly string[]
  readonly words: readonly string[]
  /** What belongs to nothing. */
  readonly strays: unknown
}

export function dump(path: string): Dump {
  const db = new Sqlite(path)
  try {
    db.exec("create virtual table temp.told using fts5vocab('main', 'words', 'instance')")
    db.exec("create virtual table temp.untold using fts5vocab('main', 'uncertain_words', 'instance')")
    const lines = (sql: string): string[] =>
      db
        .prepare(sql)
        .all()
        .map((row) => JSON.stringify(row))
    return {
      folders: lines(FOLDERS),
      messages: lines(MESSAGES),
      words: lines(WORDS),
      strays: db.prepare(STRAYS).get(),
    }
  } finally {
    db.close()
  }
}

export const NO_STRAYS = { words: 0, uncertain: 0, contents: 0, folded: 0 }

/** Every word of a column of the index. */
export function wordsOf(path: string, column: string): ReadonlySet<string> {
  const found = dump(path).words.map((line) => JSON.parse(line) as { col: string; term: string })
  return new Set(found.filter(({ col }) => col === column).map(({ term }) => term))
}
