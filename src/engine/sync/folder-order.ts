/** Which folders come first: what people look for first is there first. */
import type { Mailbox } from '../../core/message.ts'

const LAST = new Set(['junk', 'trash'])

export function inOrder(mailboxes: readonly Mailbox[]): readonly Mailbox[] {
  return mailboxes
    .filter(({ selectable }) => selectable)
    .map((mailbox, at) => ({ mailbox, at, rank: rank(mailbox) }))
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ mailbox }) => mailbox)
}

function rank({ name, role }: Mailbox): number {
  if (name.toUpperCase() === 'INBOX') return 0
  if (role === 'sent') return 1
  return role !== undefined && LAST.has(role) ? 3 : 2
}
