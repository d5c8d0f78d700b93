/** Mailbox names out of the names of files and directories. */
import { decodeUtf7 } from '../../core/mime/utf7.ts'

/** `Archive.mbox`, `Inbox.sbd/Work`, `Work.mbox/mbox`: the levels that a person would know. */
export function mailboxOfPath(levels: readonly string[]): string {
  const named = levels.filter((level, at) => !(at > 0 && level.toLowerCase() === 'mbox'))
  const names = named.map((level) => level.replace(/\.(?:mbox|sbd|mbx)$/i, '')).filter((name) => name !== '')
  return inbox(names.join('/'))
}

/** `.Projects.Atlas`, as Maildir++ writes it. */
export function mailboxOfDotted(name: string): string {
  const levels = name.split('.').filter((level) => level !== '')
  return inbox(levels.map(decodeModifiedUtf7).join('/'))
}

/** IMAP's own form of UTF-7, in which mail servers name folders on disk. */
export function decodeModifiedUtf7(text: string): string {
  return text.replace(/&([A-Za-z0-9+,]*)-/g, (_whole, letters: string) =>
    letters === '' ? '&' : decodeUtf7(`+${letters.replaceAll(',', '/')}-`),
  )
}

function inbox(name: string): string {
  return name === '' || /^(?:inbox|mbox)$/i.test(name) ? 'INBOX' : name
}
