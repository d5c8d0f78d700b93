/**
 * Makes messages findable: what rules look at, the words of the header, and those of the text where there is one.
 *
 * INVARIANT: called inside a write. What is derived is what `factsOf` and `wordsIn` make of the stored header and structure. A
 * header that was cut proves nothing and has no words.
 */

import { type HeaderField, parseHeader } from '../../core/mime/header.ts'
import type { MessageText, MirrorDepth } from '../../core/mirror/state.ts'
import { loneThreadId, threadIdOf } from '../../core/mirror/thread.ts'
import { type FactSource, type Facts, factsOf } from '../../core/policy/facts.ts'
import { searchableFrom } from '../../core/query/evaluate.ts'
import type { MirrorDatabase, Value } from './file/database.ts'
import { foldedField } from './fold.ts'
import { type FolderRow, noteGone, recount } from './folders.ts'
import { hashOfId } from './message-ids.ts'
import type { Sets } from './sets.ts'
import { readStructure } from './structure-text.ts'
import { indexedColumns, uncertainBits, uncertainColumns } from './word-index.ts'

const EVERYTHING: ReadonlySet<FactSource> = new Set(['senders', 'recipients', 'subject', 'authentication', 'structure'])

interface Stored {
  /** As text, since a number could not hold it. */
  readonly key: string
  readonly uid: number
  readonly received: number
  readonly size: number
  readonly entered: number | null
  readonly header: Uint8Array
  readonly header_cut: number
  readonly structure: string
  readonly server_thread: string | null
}

const STORED = `
  select cast(m.key as text) as key, m.uid, m.received, m.size, m.entered, c.header, c.header_cut, c.structure, c.server_thread
  from message m join content c on c.key = m.key where m.folder = ? and m.uid in (select value from json_each(?))`
const KEY = 'cast(? as integer)'
const FACTS = `
  update message set entered = ?, senders = ?, recipients = ?, subjects = ?, attachment = ?, authenticated = ?, message_id = ?, thread = ?
  where key = ${KEY}`
/** As many numbers as there are messages; the last of them. */
const NUMBERS = 'update counter set entered = entered + ? returning entered as last'
const FOLDED = `
  insert or replace into folded (key, sender, recipients, subject, message_id) values (${KEY}, ?, ?, ?, ?)`
const SNIPPET = `update content set snippet = ? where key = ${KEY}`
const PARTIAL = `update message set partial = ? where key = ${KEY}`
const UNCERTAIN = `update message set uncertain = ? where key = ${KEY}`
const FORGET = ['words', 'uncertain_words'].map((index) => `delete from ${index} where rowid = ${KEY}`)
const WORDS = `
  insert into words (rowid, body, place, sender, recipients, copied, hidden_copied, subject, filenames, attachments)
  values (${KEY}, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const UNCERTAIN_WORDS = `insert into uncertain_words (rowid, body, attachments) values (${KEY}, ?, ?)`

/** What a message is found by; `uncertain` only where it has text that a person may not see. */
interface Indexed {
  readonly columns: readonly string[]
  readonly uncertain: readonly string[] | undefined
}

export function indexMessages(
  db: MirrorDatabase,
  sets: Sets,
  folder: FolderRow,
  texts: readonly MessageText[],
  depth: MirrorDepth,
  authservId: string | undefined,
): void {
  let indexed = 0
  let anew = 0
  const words = new Map<string, Indexed>()
  let number = db.get<{ last: number }>(NUMBERS, texts.length)?.last ?? 0
  const known = storedOf(db, folder, texts)
  for (const text of texts) {
    const stored = known.get(text.uid)
    if (stored === undefined) continue
    const again = stored.entered !== null
    if (again) anew += 1
    else indexed += 1
    const read = depth === 'full' ? text : { ...NO_TEXT, uid: text.uid }
    words.set(stored.key, indexMessage(db, sets, folder, { ...stored, entered: number }, read, authservId, again))
    number -= 1
  }
  // Last, and without anything between them: other statements make the index write what it has gathered.
  for (const [key, { columns }] of words) db.run(WORDS, key, ...columns)
  for (const [key, { uncertain }] of words) if (uncertain !== undefined) db.run(UNCERTAIN_WORDS, key, ...uncertain)
  recount(db, folder, 0, indexed)
  if (anew > 0) noteGone(db, folder)
  // Whoever asks for less once has less: a folder is `full` where all of it is.
  if (depth === 'headers' || folder.indexed === 0) {
    db.run('update folder set depth = ?, authserv_id = ? where id = ?', depth, authservId ?? null, folder.id)
  }
}

const NO_TEXT = { body: '', attachments: [], snippet: '' }

function storedOf(db: MirrorDatabase, folder: FolderRow, texts: readonly MessageText[]): ReadonlyMap<number, Stored> {
  const uids = JSON.stringify(texts.map(({ uid }) => uid))
  return new Map(db.all<Stored>(STORED, folder.id, uids).map((stored) => [stored.uid, stored]))
}

function indexMessage(
  db: MirrorDatabase,
  sets: Sets,
  folder: FolderRow,
  stored: Stored,
  text: MessageText,
  authservId: string | undefined,
  again: boolean,
): Indexed {
  const headerCut = stored.header_cut === 1
  const header = parseHeader(stored.header)
  const structure = readStructure(stored.structure)
  const evidence = { ...stored, flags: [], header, headerCut, structure }
  const searchable = searchableFrom(evidence, text)
  const { messageId } = searchable
  db.run(
    FACTS,
    stored.entered,
    ...factValues(sets, factsOf(evidence, EVERYTHING, authservId)),
    messageId === undefined ? null : hashOfId(messageId),
    threadIdOf(header, stored.server_thread ?? undefined) ?? loneThreadId(folder.mailbox, folder.uidvalidity, text.uid),
    stored.key,
  )
  db.run(FOLDED, stored.key, ...foldedTexts(headerCut ? [] : header), messageId ?? null)
  if (again) for (const forget of FORGET) db.run(forget, stored.key)
  const uncertain = uncertainBits(searchable)
  if (uncertain > 0 || again) db.run(UNCERTAIN, uncertain === 0 ? null : uncertain, stored.key)
  if (text.partial === true || again) db.run(PARTIAL, text.partial === true ? 1 : null, stored.key)
  if (text.snippet !== '' || again) db.run(SNIPPET, text.snippet, stored.key)
  return { columns: indexedColumns(folder.id, searchable), uncertain: uncertainColumns(searchable) }
}

function factValues(sets: Sets, { from, to, subjects, hasAttachment, authenticated }: Facts): readonly Value[] {
  return [sets.senders(from), sets.recipients(to), sets.subjects(subjects), truth(hasAttachment), truth(authenticated)]
}

function truth(fact: boolean | undefined): number | null {
  return fact === undefined ? null : Number(fact)
}

function foldedTexts(header: readonly HeaderField[]): readonly string[] {
  return ['from', 'to', 'subject'].map((name) => foldedField(header, name))
}
