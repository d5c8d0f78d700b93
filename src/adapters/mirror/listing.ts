/** The folders that an account had when its server was last asked. */
import type { Mailbox } from '../../core/message.ts'
import type { MirrorDatabase } from './file/database.ts'

export function noteMailboxes(db: MirrorDatabase, mailboxes: readonly Mailbox[]): void {
  const text = JSON.stringify(mailboxes)
  if (text === notedText(db)) return
  db.run('delete from listing')
  db.run('insert into listing (mailboxes) values (?)', text)
}

/** Written by us alone, so it is what it was. */
export function notedMailboxes(db: MirrorDatabase): readonly Mailbox[] {
  const found = JSON.parse(notedText(db) ?? '[]') as Mailbox[]
  return found.map((mailbox) => ({ ...mailbox, delimiter: mailbox.delimiter, role: mailbox.role }))
}

function notedText(db: MirrorDatabase): string | undefined {
  return db.get<{ mailboxes: string }>('select mailboxes from listing')?.mailboxes
}
