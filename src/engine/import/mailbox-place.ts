/** Names of folders in archives as mailboxes of ours, with the role that a well-known name has. */
export interface Place {
  readonly mailbox: string
  readonly role: string | undefined
}

const ROLES: Readonly<Record<string, readonly string[]>> = {
  sent: [
    'sent',
    'sent items',
    'sent messages',
    'sent mail',
    'gesendet',
    'gesendete objekte',
    'envoyés',
    'messages envoyés',
    'enviados',
  ],
  drafts: ['drafts', 'entwürfe', 'brouillons', 'borradores'],
  trash: [
    'trash',
    'bin',
    'deleted',
    'deleted items',
    'deleted messages',
    'papierkorb',
    'gelöschte objekte',
    'corbeille',
    'papelera',
  ],
  junk: ['junk', 'spam', 'junk e-mail', 'junk email', 'junk mail', 'bulk mail'],
  archive: ['archive', 'archives', 'archiv'],
}
const ROLE_OF = new Map(Object.entries(ROLES).flatMap(([role, names]) => names.map((name) => [name, role] as const)))

const MAX_LEVEL = 100
const MAX_LEVELS = 8

export function properMailbox(name: string): Place {
  const levels = name
    .split('/')
    .map((level) =>
      level
        .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
        .trim()
        .slice(0, MAX_LEVEL)
        .toWellFormed(),
    )
    .filter((level) => level !== '')
    .slice(0, MAX_LEVELS)
  const mailbox = levels.length === 0 ? 'INBOX' : levels.join('/')
  if (mailbox.toLowerCase() === 'inbox') return { mailbox: 'INBOX', role: undefined }
  return { mailbox, role: ROLE_OF.get(mailbox.toLowerCase()) }
}
