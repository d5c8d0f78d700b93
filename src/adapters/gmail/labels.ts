/**
 * Gmail's labels as mailboxes, under the names that people see.
 *
 * INVARIANT: every mailbox has one name and every name one mailbox; INBOX is there in any case. A label whose name no mailbox may have
 * (control characters) is not shown; one that is named like a mailbox of Gmail's own is shown with a remark.
 */
import type { Mailbox } from '../../core/message.ts'

export const DELIMITER = '/'
/** No label of Gmail's: everything but what is in Trash and Spam. */
export const ALL_MAIL = 'ALL_MAIL'

export interface Folder {
  /** Gmail's id of the label, or `ALL_MAIL`. */
  readonly id: string
  readonly name: string
  readonly role: string | undefined
}

const SYSTEM: readonly Folder[] = [
  { id: 'INBOX', name: 'INBOX', role: undefined },
  { id: 'STARRED', name: 'Starred', role: 'flagged' },
  { id: 'IMPORTANT', name: 'Important', role: undefined },
  { id: 'SENT', name: 'Sent', role: 'sent' },
  { id: 'DRAFT', name: 'Drafts', role: 'drafts' },
  { id: ALL_MAIL, name: 'All Mail', role: 'all' },
  { id: 'SPAM', name: 'Spam', role: 'junk' },
  { id: 'TRASH', name: 'Trash', role: 'trash' },
]

const UNFIT = /[\p{Cc}\u2028\u2029]/u

export interface Label {
  readonly id: string
  readonly name: string
  readonly type: string
}

export function isFitName(name: string): boolean {
  return name !== '' && !UNFIT.test(name) && name.isWellFormed()
}

/** Gmail's own, whose names nobody can change. */
export function isOwn(canonical: string): boolean {
  return SYSTEM.some(({ name }) => name === canonical)
}

/** INBOX alone knows no case. */
export function canonicalName(name: string): string {
  return name.toUpperCase() === 'INBOX' ? 'INBOX' : name
}

export function foldersOf(labels: readonly Label[]): readonly Folder[] {
  const taken = new Set(SYSTEM.map(({ name }) => name))
  const own = labels
    .filter(({ type, name }) => type === 'user' && isFitName(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ id, name }) => {
      let free = canonicalName(name)
      while (taken.has(free)) free = `${free} (label)`
      taken.add(free)
      return { id, name: free, role: undefined }
    })
  return [...SYSTEM, ...own]
}

/** With the names between that no label has. */
export function mailboxesOf(folders: readonly Folder[]): readonly Mailbox[] {
  const byName = new Map(folders.map((folder) => [folder.name, folder]))
  const above = new Set(folders.flatMap(({ name }) => namesAbove(name)))
  const between = [...above].filter((name) => !byName.has(name))
  return [...byName.keys(), ...between.toSorted()].map((name) => {
    const role = byName.get(name)?.role
    const selectable = byName.has(name)
    const attributes = [
      ...(selectable ? [] : ['\\Noselect']),
      above.has(name) ? '\\HasChildren' : '\\HasNoChildren',
      ...(role === undefined ? [] : [`\\${role.charAt(0).toUpperCase()}${role.slice(1)}`]),
      ...(byName.get(name)?.id === 'IMPORTANT' ? ['\\Important'] : []),
    ]
    return { name, delimiter: DELIMITER, role, selectable, attributes }
  })
}

function namesAbove(name: string): string[] {
  const levels = name.split(DELIMITER)
  return levels.slice(1).map((_, depth) => levels.slice(0, depth + 1).join(DELIMITER))
}

/** Whether a message with these labels stands in the folder. What is in Trash or Spam stands nowhere else. */
export function standsIn({ id }: Folder, labels: readonly string[]): boolean {
  if (id === 'TRASH' || id === 'SPAM') return labels.includes(id)
  if (labels.includes('TRASH') || labels.includes('SPAM')) return false
  return id === ALL_MAIL || labels.includes(id)
}

const STATES = /^(?:UNREAD|STARRED|IMPORTANT|CHAT|CATEGORY_.*)$/

/** Whether it stands in another folder too, one that it was filed under. */
export function standsElsewhere({ id }: Folder, labels: readonly string[]): boolean {
  if (id === 'TRASH' || id === 'SPAM' || id === ALL_MAIL) return false
  return labels.some((label) => label !== id && !STATES.test(label))
}
