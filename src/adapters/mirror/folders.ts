/**
 * The folders of a mirror.
 *
 * INVARIANT: `kept` and `indexed` are how many messages of the folder there are, and how many of them are indexed: whoever
 * adds or removes messages changes them in the same transaction. `gone` and `flagged` are another number after each
 * transaction in which a message was removed or indexed anew, or flags changed. A folder that was remade has another number.
 */
import { mailboxMissing } from '../../core/absent.ts'
import { Failure } from '../../core/failure.ts'
import { ANY_UIDVALIDITY } from '../../core/message-id.ts'
import type { FolderState, MirrorDepth } from '../../core/mirror/state.ts'
import type { MailboxAt } from '../../ports/mail-source.ts'
import type { MirroredFolder } from '../../ports/mirror-store.ts'
import type { MirrorDatabase } from './file/database.ts'

export interface FolderRow {
  readonly id: number
  readonly mailbox: string
  readonly uidvalidity: number
  readonly uidnext: number
  readonly messages: number
  readonly modseq: string | null
  readonly filled_down_to: number
  readonly kept: number
  readonly indexed: number
  readonly depth: MirrorDepth
  readonly authserv_id: string | null
  readonly checked_at: number
  readonly gone: number
  readonly flagged: number
}

export function folderRows(db: MirrorDatabase): FolderRow[] {
  return db.all<FolderRow>('select * from folder order by mailbox')
}

export function findFolder(db: MirrorDatabase, mailbox: string): FolderRow | undefined {
  return db.get<FolderRow>('select * from folder where mailbox = ?', mailbox)
}

export function folderNamed(db: MirrorDatabase, mailbox: string): FolderRow {
  const row = findFolder(db, mailbox)
  if (row !== undefined) return row
  throw mailboxMissing()
}

/** The folder as it was when its uids were seen; `ANY_UIDVALIDITY` is the one it has now. */
export function folderAt(db: MirrorDatabase, { mailbox, uidvalidity }: MailboxAt): FolderRow {
  const row = folderNamed(db, mailbox)
  if (uidvalidity === ANY_UIDVALIDITY || row.uidvalidity === uidvalidity) return row
  throw new Failure('conflict', 'the mailbox was made anew since this message id was given out', {
    details: { uidvalidity: row.uidvalidity },
  })
}

/** Whoever asks has looked before; somebody may have written since. */
export function mustBeWhole({ filled_down_to, kept, indexed }: FolderRow, asksIndex: boolean): void {
  if (filled_down_to <= 1 && (kept === indexed || !asksIndex)) return
  throw new Failure('conflict', 'a folder was searched before it was indexed', { stage: 'mirror' })
}

export function mirrored(row: FolderRow): MirroredFolder {
  return {
    mailbox: row.mailbox,
    state: {
      uidvalidity: row.uidvalidity,
      uidNext: row.uidnext,
      messages: row.messages,
      ...(row.modseq !== null && { modseq: row.modseq }),
    },
    filledDownTo: row.filled_down_to,
    kept: row.kept,
    indexed: row.indexed,
    depth: row.depth,
    authservId: row.authserv_id ?? undefined,
    checkedAt: row.checked_at,
  }
}

/** An empty one is complete from the beginning. */
export function addFolder(db: MirrorDatabase, mailbox: string, state: FolderState, now: number): void {
  db.run(
    `insert into folder (mailbox, uidvalidity, uidnext, messages, modseq, filled_down_to, checked_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
    mailbox,
    state.uidvalidity,
    state.uidNext,
    state.messages,
    state.modseq ?? null,
    state.messages === 0 ? 1 : state.uidNext,
    now,
  )
}

export function setState(db: MirrorDatabase, { id }: FolderRow, state: FolderState, now: number): void {
  db.run(
    'update folder set uidvalidity = ?, uidnext = ?, messages = ?, modseq = ?, checked_at = ? where id = ?',
    state.uidvalidity,
    state.uidNext,
    state.messages,
    state.modseq ?? null,
    now,
    id,
  )
}

export function recount(db: MirrorDatabase, { id }: FolderRow, kept: number, indexed: number): void {
  if (kept !== 0 || indexed !== 0) {
    db.run('update folder set kept = kept + ?, indexed = indexed + ? where id = ?', kept, indexed, id)
  }
}

export function noteGone(db: MirrorDatabase, { id }: FolderRow): void {
  db.run('update folder set gone = gone + 1 where id = ?', id)
}

export function noteFlagged(db: MirrorDatabase, { id }: FolderRow): void {
  db.run('update folder set flagged = flagged + 1 where id = ?', id)
}
