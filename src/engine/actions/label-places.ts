/**
 * Which folders the labels of a Google account are.
 *
 * INVARIANT: only labels that the caller may know of are ever found; a star and what is unread are flags, not labels. What
 * would take a message away from where it is, such as the trash, is no label here.
 */
import { knownLabel } from '../../core/decision/flags.ts'
import { Failure } from '../../core/failure.ts'
import { GoogleFolders } from '../../core/google-folders.ts'
import { pathOf } from '../../core/mailbox-path.ts'
import type { Mailbox } from '../../core/message.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Workshop } from './workshop.ts'

export interface LabelPlace {
  readonly label: string
  readonly mailbox: string
  readonly path: string
}

/** Labels that are flags over IMAP, whatever the provider. */
export function isFlagLabel(label: string): boolean {
  const known = knownLabel(label)
  return known === 'STARRED' || known === 'UNREAD'
}

export async function labelPlaces(
  labels: readonly string[],
  account: Account,
  { sight, signal }: Workshop,
): Promise<readonly LabelPlace[]> {
  const wanted = labels.filter((label) => !isFlagLabel(label))
  if (wanted.length === 0) return []
  const mailboxes = await account.source.mailboxes(signal)
  const folders = new GoogleFolders(mailboxes, true)
  return wanted.map((label) => {
    const found = mailboxes.find((mailbox) => mailbox.selectable && isCalled(mailbox, folders.named(label)))
    const path = found && pathOf(found.name, found.delimiter)
    if (found === undefined || path === undefined || !sight.named(account.id, path)) throw missing()
    if (found.role !== undefined) throw moving()
    return { label, mailbox: found.name, path }
  })
}

function isCalled({ name, delimiter, attributes }: Mailbox, label: string): boolean {
  if (knownLabel(label) === 'IMPORTANT')
    return attributes.some((attribute) => attribute.toLowerCase() === '\\important')
  if (name.toUpperCase() === 'INBOX') return label.trim().toUpperCase() === 'INBOX'
  return pathOf(name, delimiter) === label
}

function missing(): Failure {
  return new Failure('not_found', 'there is no such label in the account', { stage: 'label' })
}

function moving(): Failure {
  const what =
    'this label would move the message, which is not done by changing labels; move it in a mail program instead'
  return new Failure('unsupported', what, { stage: 'label' })
}
