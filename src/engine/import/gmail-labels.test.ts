import { expect, test } from 'vitest'
import { readGmailLabels } from './gmail-labels.ts'

test.each([
  ['Inbox,Unread', ['INBOX'], []],
  ['Inbox,Opened,Starred,Important', ['INBOX'], ['\\Seen', '\\Flagged', '$Important']],
  ['Sent,Opened', ['Sent'], ['\\Seen']],
  ['Draft', ['Drafts'], ['\\Seen', '\\Draft']],
  ['Archived,Opened', ['Archive'], ['\\Seen']],
  ['Archived,Opened,Projects/Atlas', ['Projects/Atlas'], ['\\Seen']],
  ['Inbox,Work,"Bills, paid",Unread', ['INBOX', 'Work', 'Bills, paid'], []],
  ['Inbox,Category Promotions,Opened', ['INBOX'], ['\\Seen', '$CategoryPromotions']],
  ['Spam,Unread', ['Spam'], []],
  ['Trash', ['Trash'], ['\\Seen']],
  ['', ['Archive'], ['\\Seen']],
  [
    '=?UTF-8?Q?Posteingang,Ge=C3=B6ffnet,Wichtig,Reisen/K=C3=B6ln?=',
    ['INBOX', 'Reisen/Köln'],
    ['\\Seen', '$Important'],
  ],
  ['Posteingang,Ungelesen,Kategorie: Werbung', ['INBOX'], ['$CategoryWerbung']],
  ['=?UTF-8?Q?Bo=C3=AEte_de_r=C3=A9ception,Non_lus?=', ['INBOX'], []],
])('%j goes to %j', (labels, mailboxes, flags) => {
  const read = readGmailLabels(labels)
  expect(read.places.map(({ mailbox }) => mailbox)).toEqual(mailboxes)
  expect(read.flags).toEqual(flags)
})

test('well-known folders have their roles', () => {
  const { places } = readGmailLabels('Sent,Trash,Spam,Drafts,Mine')
  expect(places.map(({ role }) => role)).toEqual(['sent', 'trash', 'junk', 'drafts', undefined])
})

test('a label that no mailbox can be called is made into one', () => {
  const { places } = readGmailLabels('//a\u0000b//,/ /')
  expect(places.map(({ mailbox }) => mailbox)).toEqual(['a b', 'INBOX'])
})
