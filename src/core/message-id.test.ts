import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from './failure.ts'
import { formatMessageId, parseMessageId } from './message-id.ts'

const anyRef = fc.record({
  account: fc.stringMatching(/^[A-Za-z0-9_.@+-]{1,64}$/),
  mailbox: fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
  uidvalidity: fc.integer({ min: 1, max: 0xffff_ffff }),
  uid: fc.integer({ min: 1, max: 0xffff_ffff }),
})

test('what was formatted parses to the same message, whatever the mailbox is called', () => {
  fc.assert(
    fc.property(anyRef, (ref) => {
      expect(parseMessageId(formatMessageId(ref))).toEqual(ref)
    }),
  )
})

test.each([
  ['imap:work:A:B:1:2:7:9', { account: 'work', mailbox: 'A:B:1:2', uidvalidity: 7, uid: 9 }],
  ['imap:default:::1:1', { account: 'default', mailbox: ':', uidvalidity: 1, uid: 1 }],
  ['imap:default:INBOX:0042:007', { account: 'default', mailbox: 'INBOX', uidvalidity: 42, uid: 7 }],
])('%s is parsed from both ends', (id, ref) => {
  expect(parseMessageId(id)).toEqual(ref)
})

test.each([
  '',
  'imap',
  'pop:default:INBOX:1:1',
  'IMAP:default:INBOX:1:1',
  'imap:default:INBOX:1',
  'imap:default::1:1',
  'imap:a b:INBOX:1:1',
  'imap:default:INBOX:1:-1',
  'imap:default:INBOX:1:1.5',
  'imap:default:INBOX:1:0x10',
  'imap:default:INBOX:1:１',
  'imap:default:INBOX:0:1',
  'imap:default:INBOX:1:0',
  'imap:default:INBOX:1:4294967296',
  'imap:default:INBOX:1:99999999999',
  `imap:${'a'.repeat(65)}:INBOX:1:1`,
])('%j is refused', (id) => {
  expect(() => parseMessageId(id)).toThrow(Failure)
})
