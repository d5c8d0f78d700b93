import { expect, test } from 'vitest'
import type { ArchivedMessage } from '../../ports/mail-archive.ts'
import { placeMessage } from './place.ts'

function archived(header: string, more: Partial<ArchivedMessage> = {}): ArchivedMessage {
  const bytes = new TextEncoder().encode(`${header}\n\nText.\n`)
  const bare = { flags: undefined, received: undefined, modified: 7, fingerprint: 'f', position: '1' }
  return { kind: 'message', bytes, mailbox: 'Work', ...bare, ...more }
}

test.each([
  ['without a note it counts as read', 'Subject: x', ['\\Seen']],
  ['new', 'Status: O', []],
  ['read and answered', 'Status: RO\nX-Status: AF', ['\\Seen', '\\Answered', '\\Flagged']],
  ['as Thunderbird notes it', 'X-Mozilla-Status: 0007', ['\\Seen', '\\Answered', '\\Flagged']],
  ['unread as Thunderbird notes it', 'X-Mozilla-Status: 0000', []],
])('flags: %s', (_what, header, flags) => {
  expect(placeMessage(archived(header), undefined)?.flags).toEqual(flags)
})

test('flags of the file win over notes in the header', () => {
  expect(placeMessage(archived('Status: RO', { flags: ['\\Draft'] }), undefined)?.flags).toEqual(['\\Draft'])
})

test('what its owner had deleted is left out', () => {
  expect(placeMessage(archived('X-Mozilla-Status: 0009'), undefined)).toBeUndefined()
})

const DATES = 'Received: from a by b; Tue, 02 Jan 2024 00:00:00 +0000\nDate: Mon, 01 Jan 2024 00:00:00 +0000'

test.each([
  ['what the archive says', DATES, 1000, 1000],
  ['when the last server took it', DATES, undefined, Date.UTC(2024, 0, 2) / 1000],
  ['when it was written', 'Date: Mon, 01 Jan 2024 00:00:00 +0000', undefined, Date.UTC(2024, 0, 1) / 1000],
  ['the time of the file', 'Date: whenever', undefined, 7],
])('the time is %s', (_what, header, received, expected) => {
  expect(placeMessage(archived(header, { received }), undefined)?.received).toBe(expected)
})

test('one mailbox may be named for everything', () => {
  expect(placeMessage(archived('X-Gmail-Labels: Inbox,Starred'), 'Old/Mail')).toMatchObject({
    places: [{ mailbox: 'Old/Mail' }],
    flags: ['\\Seen', '\\Flagged'],
  })
})

test.each([
  ['Sent Items', 'sent'],
  ['Deleted Messages', 'trash'],
  ['Junk', 'junk'],
  ['Papierkorb', 'trash'],
  ['Work', undefined],
])('the folder %s has the role %s', (mailbox, role) => {
  expect(placeMessage(archived('Subject: x', { mailbox }), undefined)?.places).toEqual([{ mailbox, role }])
})
