import { expect, test } from 'vitest'
import { withRoles } from './mailbox-roles.ts'
import type { Mailbox } from './message.ts'

function box(name: string, role?: string, selectable = true): Mailbox {
  return { name, delimiter: '.', role, selectable, attributes: [] }
}

const rolesOf = (...boxes: Mailbox[]): Record<string, string | undefined> =>
  Object.fromEntries(withRoles(boxes).map(({ name, role }) => [name, role]))

test('a name says what a folder is for where the server does not', () => {
  expect(rolesOf(box('INBOX'), box('Junk'), box('Sent Items'), box('DRAFTS'), box('INBOX.Trash'))).toEqual({
    INBOX: undefined,
    Junk: 'junk',
    'Sent Items': 'sent',
    DRAFTS: 'drafts',
    'INBOX.Trash': 'trash',
  })
})

test('what the server says counts', () => {
  expect(rolesOf(box('Spam'), box('Bulk', 'junk'))).toEqual({ Spam: undefined, Bulk: 'junk' })
})

test('one folder for each use, by its most usual name', () => {
  expect(rolesOf(box('Spam'), box('Junk'))).toEqual({ Spam: undefined, Junk: 'junk' })
  expect(rolesOf(box('Drafts', undefined, false), box('Old.Drafts'))).toEqual({
    Drafts: undefined,
    'Old.Drafts': undefined,
  })
})
